#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace diarize {

// Brings a stream of samples to 16 kHz. The output is the same to the last bit
// however the input is cut into pieces. T samples at `sample_rate` become
// exactly ceil(16000 * T / sample_rate). Memory does not depend on the length.
// One owner, one thread.
class Resampler {
 public:
  virtual ~Resampler() = default;

  // Takes samples and returns the output that is certain by now. Samples must
  // be finite.
  [[nodiscard]] virtual std::vector<float> push(
      std::span<const float> samples) = 0;

  // Ends the stream and returns the rest of the output.
  [[nodiscard]] virtual std::vector<float> finish() = 0;
};

enum class ResamplerKind {
  kAuto,           // the windowed sinc where phases x taps <= 1 M
  kSinc,           // torchaudio's default: windowed sinc, six zero crossings
  kLibsamplerate,  // its SINC_MEDIUM: flatter to 7 kHz, sixty times slower
};

// The resampler for a file; one that does nothing for 16 kHz. sample_rate: at
// least 1 Hz.
[[nodiscard]] std::unique_ptr<Resampler> make_resampler(int sample_rate,
                                                        ResamplerKind kind);

// Samples that `num_samples` at `sample_rate` become at 16 kHz.
[[nodiscard]] std::int64_t resampled_length(std::int64_t num_samples,
                                            int sample_rate);

}  // namespace diarize
