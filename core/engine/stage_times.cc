#include "core/engine/stage_times.h"

namespace diarize {

std::string_view stage_name(Stage stage) {
  static constexpr std::array<std::string_view, kNumStages> kNames = {
      "decode",     "features", "segmentation",  "embedding",
      "clustering", "write",    "wait for work", "wait for engine"};
  return kNames[static_cast<std::size_t>(stage)];
}

void StageTimes::add(Stage stage, double seconds) {
  const std::lock_guard lock(mutex_);
  seconds_[static_cast<std::size_t>(stage)].push_back(seconds);
}

std::vector<double> StageTimes::seconds(Stage stage) const {
  const std::lock_guard lock(mutex_);
  return seconds_[static_cast<std::size_t>(stage)];
}

}  // namespace diarize
