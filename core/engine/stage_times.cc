#include "core/engine/stage_times.h"

namespace diarize {

std::string_view stage_name(Stage stage) {
  static constexpr std::array<std::string_view, kNumStages> kNames = {
      "read",         "decode",        "resample",       "features",
      "segmentation", "embedding",     "clustering",     "reconstruction",
      "write",        "wait for work", "wait for engine"};
  return kNames[static_cast<std::size_t>(stage)];
}

void StageTimes::add(Stage stage, double seconds) {
  const std::lock_guard lock(mutex_);
  seconds_[static_cast<std::size_t>(stage)].push_back(seconds);
}

void StageTimes::add(const StageTimes& other) {
  const std::lock_guard lock(mutex_);
  for (std::size_t stage = 0; stage < kNumStages; ++stage) {
    const std::vector<double>& more = other.seconds_[stage];
    seconds_[stage].insert(seconds_[stage].end(), more.begin(), more.end());
  }
}

std::array<double, kNumStages> StageTimes::totals() const {
  const std::lock_guard lock(mutex_);
  std::array<double, kNumStages> sums{};
  for (std::size_t stage = 0; stage < kNumStages; ++stage) {
    for (const double seconds : seconds_[stage]) sums[stage] += seconds;
  }
  return sums;
}

std::vector<double> StageTimes::seconds(Stage stage) const {
  const std::lock_guard lock(mutex_);
  return seconds_[static_cast<std::size_t>(stage)];
}

}  // namespace diarize
