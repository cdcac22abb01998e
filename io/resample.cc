#include "io/resample.h"

#include "core/sliding_window.h"
#include "io/samplerate_resampler.h"
#include "io/sinc_resampler.h"

namespace diarize {

namespace {

// Values of the filter as torchaudio lays it out: all phases, all taps.
constexpr std::int64_t kMaxAutoFilterSize = 1'000'000;

class Identity final : public Resampler {
 public:
  std::vector<float> push(std::span<const float> samples) override {
    return {samples.begin(), samples.end()};
  }
  std::vector<float> finish() override { return {}; }
};

}  // namespace

std::unique_ptr<Resampler> make_resampler(int sample_rate, ResamplerKind kind) {
  if (sample_rate == kSampleRate) return std::make_unique<Identity>();
  const bool small = SincDesign(sample_rate).size() <= kMaxAutoFilterSize;
  if (kind == ResamplerKind::kSinc || (kind == ResamplerKind::kAuto && small)) {
    return std::make_unique<SincResampler>(sample_rate);
  }
  return std::make_unique<SamplerateResampler>(sample_rate);
}

std::int64_t resampled_length(std::int64_t num_samples, int sample_rate) {
  return (num_samples * kSampleRate + sample_rate - 1) / sample_rate;
}

}  // namespace diarize
