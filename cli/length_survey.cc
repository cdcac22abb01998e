#include "cli/length_survey.h"

#include "io/length_estimate.h"

#include <algorithm>
#include <utility>

namespace diarize {

namespace {

// What of a file is in the part asked for.
double wanted_seconds(double seconds, const AudioOptions& options) {
  const double rest = std::max(seconds - options.start, 0.0);
  return options.duration ? std::min(rest, *options.duration) : rest;
}

}  // namespace

LengthSurvey::LengthSurvey(std::span<const Job> jobs, AudioOptions options)
    : jobs_(jobs),
      options_(std::move(options)),
      thread_([this](const std::stop_token& stop) { measure(stop); }) {}

LengthSurvey::~LengthSurvey() = default;

void LengthSurvey::measure(const std::stop_token& stop) {
  seconds_.reserve(jobs_.size());
  for (const Job& job : jobs_) {
    if (stop.stop_requested()) return;
    const double seconds =
        job.is_standard_input() ? 0.0 : estimate_length(job.input).seconds;
    seconds_.push_back(wanted_seconds(seconds, options_));
  }
  {
    const std::lock_guard lock(mutex_);
    is_complete_ = true;
  }
  ended_.notify_all();
}

void LengthSurvey::wait_for(std::chrono::milliseconds most) {
  std::unique_lock lock(mutex_);
  ended_.wait_for(lock, most, [this] { return is_complete_.load(); });
}

std::optional<std::span<const double>> LengthSurvey::seconds() const {
  if (!is_complete_) return std::nullopt;
  return seconds_;
}

}  // namespace diarize
