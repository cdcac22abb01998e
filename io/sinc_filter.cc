#include "io/sinc_filter.h"

#include "core/sliding_window.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace diarize {

namespace {

constexpr double kRollOff = 0.99;
constexpr double kNumZeroCrossings = 6.0;
constexpr std::int64_t kLanes = 16;

}  // namespace

SincDesign::SincDesign(int sample_rate) {
  const std::int64_t divisor = std::gcd(sample_rate, kSampleRate);
  hop = sample_rate / divisor;
  num_phases = kSampleRate / divisor;
  cutoff = kRollOff * static_cast<double>(std::min(hop, num_phases));
  width = static_cast<std::int64_t>(
      std::ceil(kNumZeroCrossings * static_cast<double>(hop) / cutoff));
}

double SincDesign::value(std::int64_t phase, std::int64_t tap) const {
  const double place =
      static_cast<double>(tap - width) / static_cast<double>(hop) -
      static_cast<double>(phase) / static_cast<double>(num_phases);
  const double t =
      std::clamp(cutoff * place, -kNumZeroCrossings, kNumZeroCrossings);
  const double window =
      std::cos(std::numbers::pi * t / (2.0 * kNumZeroCrossings));
  const double angle = std::numbers::pi * t;
  const double sinc = angle == 0.0 ? 1.0 : std::sin(angle) / angle;
  return cutoff / static_cast<double>(hop) * window * window * sinc;
}

std::int64_t SincDesign::first_tap(std::int64_t phase) const {
  const double centre =
      static_cast<double>(phase * hop) / static_cast<double>(num_phases);
  const double reach = kNumZeroCrossings * static_cast<double>(hop) / cutoff;
  return width + static_cast<std::int64_t>(std::ceil(centre - reach));
}

std::int64_t SincDesign::end_tap(std::int64_t phase) const {
  const double centre =
      static_cast<double>(phase * hop) / static_cast<double>(num_phases);
  const double reach = kNumZeroCrossings * static_cast<double>(hop) / cutoff;
  return width + static_cast<std::int64_t>(std::floor(centre + reach)) + 1;
}

SincFilter::SincFilter(const SincDesign& design)
    : hop(design.hop), num_phases(design.num_phases), width(design.width) {
  std::int64_t longest = 0;
  for (std::int64_t phase = 0; phase < num_phases; ++phase) {
    const std::int64_t first = design.first_tap(phase);
    first_taps.push_back(static_cast<std::int32_t>(first));
    longest = std::max(longest, design.end_tap(phase) - first);
  }
  row_size = (longest + kLanes - 1) / kLanes * kLanes;
  rows.resize(static_cast<std::size_t>(num_phases * row_size));
  for (std::int64_t phase = 0; phase < num_phases; ++phase) {
    const std::int64_t first = design.first_tap(phase);
    for (std::int64_t tap = first; tap < design.end_tap(phase); ++tap) {
      rows[static_cast<std::size_t>(phase * row_size + tap - first)] =
          static_cast<float>(design.value(phase, tap));
    }
  }
}

}  // namespace diarize
