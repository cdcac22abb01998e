#include "cli/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

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

// `0:32`, `2:05:10`
std::string clock_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::ceil(seconds));
  const std::int64_t minutes = whole / 60;
  if (minutes < 60) return fmt::format("{}:{:02}", minutes, whole % 60);
  return fmt::format("{}:{:02}:{:02}", minutes / 60, minutes % 60, whole % 60);
}

}  // namespace

Progress::Progress(Console& console, std::span<const Job> jobs, Lengths lengths)
    : console_(console),
      jobs_(jobs),
      lengths_(std::move(lengths)),
      is_done_(jobs.size(), false) {
  draw(true);
}

void Progress::advance(const Job& job, double seconds) {
  if (!console_.has_status()) return;
  const std::lock_guard lock(mutex_);
  under_way_[&job] += seconds;
  draw(false);
}

void Progress::file_done(const Job& job, const FileOutcome& outcome) {
  if (!console_.has_status()) return;
  const std::lock_guard lock(mutex_);
  take_lengths();
  seconds_planned_ -= length_of(&job);
  is_done_[static_cast<std::size_t>(&job - jobs_.data())] = true;
  under_way_.erase(&job);
  ++num_ended_;
  seconds_done_ += outcome.seconds;
  draw(true);
}

// Once, as soon as they are known.
void Progress::take_lengths() {
  if (job_seconds_) return;
  job_seconds_ = lengths_();
  for (std::size_t job = 0; job_seconds_ && job < jobs_.size(); ++job) {
    if (!is_done_[job]) seconds_planned_ += (*job_seconds_)[job];
  }
}

double Progress::length_of(const Job* job) const {
  return job_seconds_
             ? (*job_seconds_)[static_cast<std::size_t>(job - jobs_.data())]
             : 0.0;
}

ProgressState Progress::state() const {
  ProgressState state{
      num_ended_, jobs_.size(), seconds_done_, {}, seconds_since(start_)};
  double planned_read = 0.0;
  for (const auto& [job, seconds] : under_way_) {
    state.audio_seconds += seconds;
    planned_read += std::min(seconds, length_of(job));
  }
  if (job_seconds_) {
    state.seconds_left = std::max(seconds_planned_ - planned_read, 0.0);
  }
  return state;
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
  take_lengths();
  console_.status(progress_bar(state()));
}

std::string progress_bar(const ProgressState& state) {
  const double speed =
      times_real_time(state.audio_seconds, state.elapsed_seconds);
  const double left = state.seconds_left.value_or(0.0);
  const double all = state.audio_seconds + left;
  const auto num_files = static_cast<double>(state.num_files);
  double share = state.num_files == 0
                     ? 1.0
                     : static_cast<double>(state.num_ended) / num_files;
  if (state.seconds_left && all > 0.0) share = state.audio_seconds / all;
  const int filled = static_cast<int>(kBarWidth * share);
  const std::string of_all =
      state.seconds_left ? fmt::format(" of {:.2f}", all / 3600) : "";
  const std::string time_left =
      left > 0.0 && speed > 0.0
          ? fmt::format(", {} left", clock_text(left / speed))
          : "";
  return fmt::format(
      "[{:#<{}}{:.<{}}] {}/{} files, {:.2f}{} hours, {:.1f} x real time{}", "",
      filled, "", kBarWidth - filled, state.num_ended, state.num_files,
      state.audio_seconds / 3600, of_all, speed, time_left);
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
