#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>

namespace diarize {

// How loud a recording is. 0 dBFS is a sample of magnitude 1, so that a sine
// of full scale has an RMS of -3.01 dBFS; digital silence is -infinity.
struct Level {
  double rms_dbfs = -std::numeric_limits<double>::infinity();
  double peak_dbfs = -std::numeric_limits<double>::infinity();
  double peak_seconds = 0.0;  // where the first sample of that magnitude is
};

// Magnitude to decibels relative to full scale; -infinity for 0.
[[nodiscard]] double to_dbfs(double magnitude);

// The level of channels of the same length together, as LevelMeter::merge
// gives it; that of silence if there are none.
[[nodiscard]] Level level_together(std::span<const Level> channels);

// Takes the level of samples as they go by. Constant memory.
class LevelMeter {
 public:
  void add(std::span<const float> samples);

  // Takes in another channel of the same recording.
  void merge(const LevelMeter& other);

  [[nodiscard]] Level level(int sample_rate) const;

  // Place of the first sample that is NaN or infinite; from then on the level
  // means nothing.
  [[nodiscard]] std::optional<std::int64_t> non_finite() const {
    return non_finite_;
  }

 private:
  double sum_of_squares_ = 0.0;
  float peak_ = 0.0F;
  std::int64_t peak_place_ = 0;
  std::int64_t num_samples_ = 0;
  std::optional<std::int64_t> non_finite_;
};

}  // namespace diarize
