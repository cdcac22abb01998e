#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace diarize {

// Numbers of torchaudio's default resampling filter from `orig` Hz to 16 kHz
// (torchaudio 2.x, functional._get_sinc_resample_kernel: sinc_interp_hann,
// lowpass_filter_width 6, rolloff 0.99).
struct SincDesign {
  explicit SincDesign(int sample_rate);

  std::int64_t hop;         // o = orig / gcd: input samples per m outputs
  std::int64_t num_phases;  // m = 16000 / gcd
  double cutoff;            // b = 0.99 min(o, m)
  std::int64_t width;       // w = ceil(6 o / b): zeros in front

  // Values of the filter with all taps: m (2 w + o).
  [[nodiscard]] std::int64_t size() const {
    return num_phases * (2 * width + hop);
  }

  // h[j][i]: weight of x'[k o + i] in y[k m + j].
  //   t = clamp(b ((i - w) / o - j / m), -6, 6)
  //   h = b / o cos(pi t / 12)^2 sin(pi t) / (pi t)
  [[nodiscard]] double value(std::int64_t phase, std::int64_t tap) const;

  // First tap and one past the last that lie inside the window, where
  // |t| < 6; all others are zero.
  [[nodiscard]] std::int64_t first_tap(std::int64_t phase) const;
  [[nodiscard]] std::int64_t end_tap(std::int64_t phase) const;
};

// The same as rows of float32 for a processor: row j holds the taps of phase j
// inside the window, from `first_taps[j]` on, filled up with zeros to a
// multiple of 16.
struct SincFilter {
  explicit SincFilter(const SincDesign& design);

  std::int64_t hop;
  std::int64_t num_phases;
  std::int64_t width;
  std::int64_t row_size = 0;
  std::vector<std::int32_t> first_taps;  // (num_phases)
  std::vector<float> rows;               // (num_phases, row_size)
};

// Fills `output` with the sums of successive phases, the first being `phase`.
// input: x' from the sample on that tap 0 of the first output meets; it must
// reach as far as the last row does. Uses AVX-512 or AVX2 where there is one.
void convolve(const SincFilter& filter, std::span<const float> input,
              std::int64_t phase, std::span<float> output);

}  // namespace diarize
