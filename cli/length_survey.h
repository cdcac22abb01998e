#pragma once

#include "cli/inputs.h"
#include "cli/options.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

namespace diarize {

// Finds out how long the files of a batch may be (see io/length_estimate.h), on
// a thread of its own, so that nothing waits for the headers of a hundred
// thousand files. Threads may share it.
class LengthSurvey {
 public:
  // Starts at once. jobs: must outlive the survey. options: which part of each
  // file counts.
  LengthSurvey(std::span<const Job> jobs, AudioOptions options);
  // Gives up what is not known by then.
  ~LengthSurvey();
  LengthSurvey(const LengthSurvey&) = delete;
  LengthSurvey& operator=(const LengthSurvey&) = delete;

  // Waits until all is known, but no longer than this.
  void wait_for(std::chrono::milliseconds most);

  // Seconds of each job, 0 where nothing can be said; none until all are
  // known, then valid as long as the survey.
  [[nodiscard]] std::optional<std::span<const double>> seconds() const;

 private:
  void measure(const std::stop_token& stop);

  std::span<const Job> jobs_;
  AudioOptions options_;
  std::vector<double> seconds_;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::atomic<bool> is_complete_ = false;
  std::jthread thread_;  // last: ends before the rest goes
};

}  // namespace diarize
