#include "io/level.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace diarize {

namespace {

// Sums in lanes of their own, so that the compiler may use wide registers.
constexpr std::size_t kNumLanes = 8;

double sum_of_squares(std::span<const float> samples) {
  std::array<double, kNumLanes> sums{};
  const std::size_t whole = samples.size() / kNumLanes * kNumLanes;
  for (std::size_t first = 0; first < whole; first += kNumLanes) {
    for (std::size_t lane = 0; lane < kNumLanes; ++lane) {
      const double sample = samples[first + lane];
      sums[lane] += sample * sample;
    }
  }
  double sum = 0.0;
  for (const double lane : sums) sum += lane;
  for (const float sample : samples.subspan(whole)) {
    sum += static_cast<double>(sample) * sample;
  }
  return sum;
}

float magnitude_of_peak(std::span<const float> samples) {
  std::array<float, kNumLanes> peaks{};
  const std::size_t whole = samples.size() / kNumLanes * kNumLanes;
  for (std::size_t first = 0; first < whole; first += kNumLanes) {
    for (std::size_t lane = 0; lane < kNumLanes; ++lane) {
      const float magnitude = std::abs(samples[first + lane]);
      peaks[lane] = magnitude > peaks[lane] ? magnitude : peaks[lane];
    }
  }
  float peak = std::ranges::max(peaks);
  for (const float sample : samples.subspan(whole)) {
    peak = std::max(peak, std::abs(sample));
  }
  return peak;
}

// Place of the first sample for which `test` holds, which there is.
template <typename Test>
std::int64_t first_place(std::span<const float> samples, Test test) {
  return std::ranges::find_if(samples, test) - samples.begin();
}

}  // namespace

double to_dbfs(double magnitude) { return 20.0 * std::log10(magnitude); }

Level level_together(std::span<const Level> channels) {
  Level together;
  double sum_of_powers = 0.0;
  for (const Level& level : channels) {
    sum_of_powers += std::pow(10.0, level.rms_dbfs / 10.0);
    const bool earlier = level.peak_dbfs == together.peak_dbfs &&
                         level.peak_seconds < together.peak_seconds;
    if (level.peak_dbfs > together.peak_dbfs || earlier) {
      together.peak_dbfs = level.peak_dbfs;
      together.peak_seconds = level.peak_seconds;
    }
  }
  if (sum_of_powers > 0.0) {
    together.rms_dbfs =
        10.0 * std::log10(sum_of_powers / static_cast<double>(channels.size()));
  }
  return together;
}

void LevelMeter::add(std::span<const float> samples) {
  const double sum = sum_of_squares(samples);
  // Squares of floats cannot overflow a double: only a sample that is no
  // number makes the sum none.
  if (!std::isfinite(sum) && !non_finite_) {
    non_finite_ = num_samples_ + first_place(samples, [](float sample) {
                    return !std::isfinite(sample);
                  });
  }
  const float peak = magnitude_of_peak(samples);
  if (peak > peak_) {
    peak_place_ = num_samples_ + first_place(samples, [&](float sample) {
                    return std::abs(sample) == peak;
                  });
    peak_ = peak;
  }
  sum_of_squares_ += sum;
  num_samples_ += std::ssize(samples);
}

void LevelMeter::merge(const LevelMeter& other) {
  sum_of_squares_ += other.sum_of_squares_;
  num_samples_ += other.num_samples_;
  const bool earlier = other.peak_ == peak_ && other.peak_place_ < peak_place_;
  if (other.peak_ > peak_ || earlier) {
    peak_ = other.peak_;
    peak_place_ = other.peak_place_;
  }
}

Level LevelMeter::level(int sample_rate) const {
  Level level;
  if (num_samples_ == 0) return level;
  level.rms_dbfs =
      to_dbfs(std::sqrt(sum_of_squares_ / static_cast<double>(num_samples_)));
  level.peak_dbfs = to_dbfs(peak_);
  level.peak_seconds = static_cast<double>(peak_place_) / sample_rate;
  return level;
}

}  // namespace diarize
