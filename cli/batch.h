#pragma once

#include "cli/inputs.h"
#include "core/engine/stage_times.h"

#include <array>
#include <exception>
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
  // Its outputs were there already, and nothing was done.
  bool skipped = false;
  // The batch was stopped before this job was done.
  bool interrupted = false;
  // Facts for those who want to know more, without the path.
  std::vector<std::string> details;
  double seconds = 0.0;  // of audio
  int num_speakers = 0;
  // Levels of the audio, as io/level.h has them.
  double rms_dbfs = 0.0;
  double peak_dbfs = 0.0;
  double peak_seconds = 0.0;
  // Seconds that went by from its start to its outputs, and what each stage
  // took, by its number, where that is measured.
  double wall_seconds = 0.0;
  std::array<double, kNumStages> stage_seconds{};
  // Results for standard output, if they go there.
  std::string standard_output;
};

// Does one job. Called by several threads at once; throws what went wrong.
using ProcessFile = std::function<FileOutcome(const Job&)>;

// Told of each outcome, in the order of the jobs, by one thread at a time.
using ReportFile = std::function<void(const Job&, const FileOutcome&)>;

// Thrown by a job that gives up because the batch is being stopped.
class Interrupted : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override {
    return "interrupted";
  }
};

// When a batch stops before its end.
struct BatchLimits {
  // Jobs at once.
  int num_parallel = 1;
  // No further job is started after one has failed.
  bool fail_fast = false;
  // Asked before each job; true starts no further one.
  std::function<bool()> is_interrupted = [] { return false; };
  // Seconds of each job, once they are known: long ones are then not left to
  // the end (see cli/job_order.h). Asked before each job until it gives some.
  std::function<std::optional<std::span<const double>>()> lengths = [] {
    return std::nullopt;
  };
  // Told of each outcome as soon as it is there, by many threads at once.
  std::function<void(const Job&, const FileOutcome&)> job_ended =
      [](const Job&, const FileOutcome&) {};
};

// How a batch ended.
struct BatchSummary {
  int num_done = 0;
  int num_skipped = 0;
  int num_failed = 0;
  int num_not_done = 0;        // not started, or given up when it was stopped
  double audio_seconds = 0.0;  // of the files done
};

// Does all jobs, and tells how they ended in their order. A job that takes long
// holds up what is told of those behind it, not their work; what waits to be
// told is bounded (see cli/outcome_order.h).
//
// A job that throws has failed: its message is put behind its path, and the
// others go on. After a FatalError no further job is started.
[[nodiscard]] BatchSummary run_batch(std::span<const Job> jobs,
                                     const BatchLimits& limits,
                                     const ProcessFile& process,
                                     const ReportFile& report);

}  // namespace diarize
