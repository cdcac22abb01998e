#pragma once

#include "io/resample.h"
#include "io/sinc_filter.h"

namespace diarize {

// Band-limited interpolation by a windowed sinc, one filter per phase
// (J. O. Smith, "Digital Audio Resampling Home Page"; torchaudio 2.x,
// functional.resample with its default arguments).
//
//   y[k m + j] = sum_i h[j][i] x'[k o + i],   x' = w zeros, x, zeros
//
// with the symbols of sinc_filter.h. Only the taps inside the window are kept,
// 34 of 475 at 44.1 kHz. Sums are taken in 16 lanes in a fixed order, so all
// processors give the same bits. Cost: about 12 o / b multiplications a
// sample of output; memory: one filter, and the input still needed.
class SincResampler final : public Resampler {
 public:
  // sample_rate: Hz, not 16000.
  explicit SincResampler(int sample_rate);

  [[nodiscard]] std::vector<float> push(
      std::span<const float> samples) override;
  [[nodiscard]] std::vector<float> finish() override;

 private:
  // Outputs whose taps are all in the buffer.
  [[nodiscard]] std::int64_t num_ready() const;
  [[nodiscard]] std::vector<float> produce(std::int64_t count);

  int sample_rate_;
  SincFilter filter_;
  std::vector<float> buffer_;  // x' from k o on, for the next output
  int phase_ = 0;              // j of the next output
  std::int64_t num_input_ = 0;
  std::int64_t num_output_ = 0;
};

}  // namespace diarize
