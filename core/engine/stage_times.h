#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <string_view>
#include <vector>

namespace diarize {

// What a run spends its time on. The order is that of a recording's way.
enum class Stage {
  kRead,            // bytes of a file, or of a pipe, per run over it
  kDecode,          // bytes to samples, likewise
  kResample,        // levels, mixing, resampling, likewise
  kFeatures,        // filter bank of the blocks of a batch
  kSegmentation,    // networks, per batch
  kEmbedding,       // networks, per batch, without the features
  kClustering,      // per recording
  kReconstruction,  // speakers and chunks to turns, per recording
  kWrite,           // outputs of a file
  kWaitForWork,     // of a consumer without a batch
  kWaitForEngine,   // of a decoder whose engine is behind
};
inline constexpr std::size_t kNumStages = 11;

// The name of a stage as reports print it.
[[nodiscard]] std::string_view stage_name(Stage stage);

// Durations of every stage, in seconds, as they are measured. Thread safe.
class StageTimes {
 public:
  // Adds one measurement.
  void add(Stage stage, double seconds);

  // Adds all measurements of another, which nobody writes meanwhile.
  void add(const StageTimes& other);

  // All measurements of a stage so far, in no particular order.
  [[nodiscard]] std::vector<double> seconds(Stage stage) const;

  // Their sums, by the number of the stage.
  [[nodiscard]] std::array<double, kNumStages> totals() const;

 private:
  mutable std::mutex mutex_;
  std::array<std::vector<double>, kNumStages> seconds_;
};

// Measures the time from its construction to its destruction. Does nothing,
// not even look at the clock, where `times` is null.
class StageTimer {
 public:
  StageTimer(StageTimes* times, Stage stage) : times_(times), stage_(stage) {
    if (times_ != nullptr) start_ = Clock::now();
  }
  ~StageTimer() {
    if (times_ == nullptr) return;
    times_->add(stage_,
                std::chrono::duration<double>(Clock::now() - start_).count());
  }
  StageTimer(const StageTimer&) = delete;
  StageTimer& operator=(const StageTimer&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  StageTimes* times_;
  Stage stage_;
  Clock::time_point start_;
};

}  // namespace diarize
