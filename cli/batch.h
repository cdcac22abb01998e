#pragma once

#include "cli/inputs.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace diarize {

// What became of one job.
struct FileOutcome {
  // Why it failed, with the path in front; none if it is done.
  std::optional<std::string> failure;
  // What is worth saying, without the path.
  std::vector<std::string> warnings;
  // Facts for those who want to know more, without the path.
  std::vector<std::string> details;
  double seconds = 0.0;  // of audio
  int num_speakers = 0;
  // Results for standard output, if they go there.
  std::string standard_output;
};

// Does one job. Called by several threads at once; throws what went wrong.
using ProcessFile = std::function<FileOutcome(const Job&)>;

// Told of each outcome, in the order of the jobs, by one thread at a time.
using ReportFile = std::function<void(const Job&, const FileOutcome&)>;

// How a batch ended.
struct BatchSummary {
  int num_done = 0;
  int num_skipped = 0;
  int num_failed = 0;
  int num_not_started = 0;
  double audio_seconds = 0.0;  // of the files done
};

// Does all jobs, up to `num_parallel` at once.
//
// A job that throws has failed: its message is put behind its path, and the
// others go on. After a FatalError no further job is started.
[[nodiscard]] BatchSummary run_batch(std::span<const Job> jobs,
                                     int num_parallel,
                                     const ProcessFile& process,
                                     const ReportFile& report);

}  // namespace diarize
