#include "cli/progress.h"

#include <fmt/format.h>

#include <algorithm>

namespace diarize {
namespace {

constexpr int kBarWidth = 20;
constexpr std::chrono::milliseconds kRedrawInterval{200};

double times_real_time(double audio_seconds, double elapsed_seconds) {
  return elapsed_seconds > 0 ? audio_seconds / elapsed_seconds : 0.0;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

}  // namespace

Progress::Progress(Console& console, std::size_t num_files)
    : console_(console), num_files_(num_files) {
  draw(true);
}

void Progress::advance(double seconds) {
  const std::lock_guard lock(mutex_);
  seconds_ += seconds;
  draw(false);
}

void Progress::file_ended(const Job& job, const FileOutcome& outcome) {
  for (const std::string& warning : outcome.warnings) {
    console_.warning(fmt::format("{}: warning: {}", job.input, warning));
  }
  for (const std::string& detail : outcome.details) {
    console_.detail(fmt::format("{}: {}", job.input, detail));
  }
  if (outcome.failure) {
    console_.error(*outcome.failure);
  } else if (outcome.skipped) {
    console_.note(job.input + ": skipped, its outputs are there");
  } else if (outcome.interrupted) {
    console_.note(job.input + ": given up");
  } else if (!console_.has_status() || console_.is_verbose()) {
    console_.note(finished_line(job, outcome));
  }
  const std::lock_guard lock(mutex_);
  ++num_ended_;
  draw(true);
}

void Progress::batch_ended(const BatchSummary& summary) {
  console_.status("");
  console_.note(summary_line(summary, seconds_since(start_)));
}

void Progress::draw(bool always) {
  if (!console_.has_status()) return;
  const auto now = Clock::now();
  if (!always && now - last_drawn_ < kRedrawInterval) return;
  last_drawn_ = now;
  console_.status(
      progress_bar(num_ended_, num_files_, seconds_, seconds_since(start_)));
}

std::string progress_bar(std::size_t num_ended, std::size_t num_files,
                         double audio_seconds, double elapsed_seconds) {
  const auto filled = static_cast<int>(
      num_files == 0 ? kBarWidth : kBarWidth * num_ended / num_files);
  return fmt::format(
      "[{:#<{}}{:.<{}}] {}/{} files, {:.2f} hours, {:.1f} x "
      "real time",
      "", filled, "", kBarWidth - filled, num_ended, num_files,
      audio_seconds / 3600, times_real_time(audio_seconds, elapsed_seconds));
}

std::string finished_line(const Job& job, const FileOutcome& outcome) {
  return fmt::format("{}: {:.1f} s, {} speaker{}", job.input, outcome.seconds,
                     outcome.num_speakers,
                     outcome.num_speakers == 1 ? "" : "s");
}

std::string summary_line(const BatchSummary& summary, double elapsed_seconds) {
  std::string line =
      fmt::format("{} done, {} skipped, {} failed", summary.num_done,
                  summary.num_skipped, summary.num_failed);
  if (summary.num_not_done > 0) {
    line += fmt::format(", {} not done", summary.num_not_done);
  }
  return line +
         fmt::format(", {:.3f} hours of audio, {:.1f} x real time",
                     summary.audio_seconds / 3600,
                     times_real_time(summary.audio_seconds, elapsed_seconds));
}

}  // namespace diarize
