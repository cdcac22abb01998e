#pragma once

#include "cli/batch.h"
#include "cli/console.h"

#include <chrono>
#include <mutex>
#include <string>

namespace diarize {

// Says how far a batch is: a bar on a terminal, else a line for each finished
// file. Threads may share it.
class Progress {
 public:
  // console must outlive this.
  Progress(Console& console, std::size_t num_files);

  // So many seconds of audio more have been read.
  void advance(double seconds);

  // A job has ended, with whatever is to be said about it.
  void file_ended(const Job& job, const FileOutcome& outcome);

  // Removes the bar, and says how the batch ended.
  void batch_ended(const BatchSummary& summary);

 private:
  using Clock = std::chrono::steady_clock;

  void draw(bool always);

  Console& console_;
  std::size_t num_files_;
  Clock::time_point start_ = Clock::now();
  std::mutex mutex_;
  std::size_t num_ended_ = 0;
  double seconds_ = 0.0;
  Clock::time_point last_drawn_;
};

// `[####......] 2/5 files, 0.52 hours, 88.1 x real time`, with a bar of 20.
[[nodiscard]] std::string progress_bar(std::size_t num_ended,
                                       std::size_t num_files,
                                       double audio_seconds,
                                       double elapsed_seconds);

// `a.wav: 23.3 s, 2 speakers`
[[nodiscard]] std::string finished_line(const Job& job,
                                        const FileOutcome& outcome);

// `2 done, 0 skipped, 4 failed, 0.013 hours of audio, 35.2 x real time`
[[nodiscard]] std::string summary_line(const BatchSummary& summary,
                                       double elapsed_seconds);

}  // namespace diarize
