#pragma once

#include "cli/batch.h"
#include "cli/console.h"

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace diarize {

// How far a batch is.
struct ProgressState {
  std::size_t num_ended = 0;
  std::size_t num_files = 0;
  double audio_seconds = 0.0;  // gone by
  // Still to come, as far as headers and sizes say; none before they do.
  std::optional<double> seconds_left;
  double elapsed_seconds = 0.0;
};

// Says how far a batch is: a bar on a terminal, else a line for each finished
// file. Threads may share it.
class Progress {
 public:
  // Seconds that the files may last, by job; none as long as that is not known.
  using Lengths = std::function<std::optional<std::span<const double>>()>;

  // console and jobs must outlive this.
  Progress(Console& console, std::span<const Job> jobs, Lengths lengths);

  // So many seconds of a job's audio more have been read.
  void advance(const Job& job, double seconds);

  // A job of the batch has ended, perhaps before others whose outcome is told
  // first.
  void file_done(const Job& job, const FileOutcome& outcome);

  // Says what there is to say about a job.
  void file_ended(const Job& job, const FileOutcome& outcome);

  // Removes the bar, and says how the batch ended.
  void batch_ended(const BatchSummary& summary);

 private:
  using Clock = std::chrono::steady_clock;

  void take_lengths();
  [[nodiscard]] double length_of(const Job* job) const;
  [[nodiscard]] ProgressState state() const;
  void draw(bool always);

  Console& console_;
  std::span<const Job> jobs_;
  Lengths lengths_;
  Clock::time_point start_ = Clock::now();
  std::mutex mutex_;
  std::size_t num_ended_ = 0;
  double seconds_done_ = 0.0;               // of jobs that have ended
  std::map<const Job*, double> under_way_;  // seconds read so far
  // By job, once they are known, and their sum over jobs that have not ended.
  std::optional<std::span<const double>> job_seconds_;
  double seconds_planned_ = 0.0;
  std::vector<bool> is_done_;  // by job
  Clock::time_point last_drawn_;
};

// `[####......] 2/5 files, 0.52 of 1.30 hours, 88.1 x real time, 0:32 left`,
// with a bar of 20; shorter where lengths are not known.
[[nodiscard]] std::string progress_bar(const ProgressState& state);

// `a.wav: 23.3 s, 2 speakers`
[[nodiscard]] std::string finished_line(const Job& job,
                                        const FileOutcome& outcome);

// `2 done, 0 skipped, 4 failed, 0.013 hours of audio, 35.2 x real time`
[[nodiscard]] std::string summary_line(const BatchSummary& summary,
                                       double elapsed_seconds);

}  // namespace diarize
