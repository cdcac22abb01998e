#include "cli/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace diarize {
namespace {

// Of ascending values, the smallest that `share` of them do not pass.
double percentile(const std::vector<double>& sorted, double share) {
  const auto rank = std::ceil(share * static_cast<double>(sorted.size()));
  return sorted[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

}  // namespace

StageSummary summary_of(std::vector<double> seconds) {
  if (seconds.empty()) return {};
  std::sort(seconds.begin(), seconds.end());
  StageSummary result;
  result.count = seconds.size();
  result.total = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  result.mean = result.total / static_cast<double>(seconds.size());
  result.p50 = percentile(seconds, 0.50);
  result.p95 = percentile(seconds, 0.95);
  result.max = seconds.back();
  return result;
}

std::string profile_table(const StageTimes& times) {
  std::string table =
      fmt::format("{:<16}{:>9}{:>11}{:>11}{:>11}{:>11}{:>11}\n", "stage",
                  "count", "total s", "mean s", "p50 s", "p95 s", "max s");
  for (std::size_t i = 0; i < kNumStages; ++i) {
    const auto stage = static_cast<Stage>(i);
    const StageSummary of = summary_of(times.seconds(stage));
    table += fmt::format(
        "{:<16}{:>9}{:>11.3f}{:>11.6f}{:>11.6f}{:>11.6f}{:>11.6f}\n",
        stage_name(stage), of.count, of.total, of.mean, of.p50, of.p95, of.max);
  }
  return table;
}

}  // namespace diarize
