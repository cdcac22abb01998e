#pragma once

#include "core/engine/stage_times.h"

#include <string>
#include <vector>

namespace diarize {

// How long the measurements of a stage are, s; p50 and p95 are the smallest
// that so many per cent do not pass.
struct StageSummary {
  std::size_t count = 0;
  double total = 0.0;
  double mean = 0.0;
  double p50 = 0.0;
  double p95 = 0.0;
  double max = 0.0;
};

// All 0 if there are no measurements.
[[nodiscard]] StageSummary summary_of(std::vector<double> seconds);

// A table with a line for each stage, in the order of a recording's way: count,
// and total, mean, p50, p95 and max in seconds. Stages run at the same time on
// several threads, so totals may exceed the time that went by.
[[nodiscard]] std::string profile_table(const StageTimes& times);

}  // namespace diarize
