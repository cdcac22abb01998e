#pragma once

#include "io/resample.h"

#include <samplerate.h>

namespace diarize {

// libsamplerate's SINC_MEDIUM_QUALITY: any ratio, at the cost of speed. Its
// output depends on how much it is handed at a time, so it is always handed
// the same number of samples.
class SamplerateResampler final : public Resampler {
 public:
  // Throws std::logic_error if the library refuses the ratio (1/256 to 256).
  explicit SamplerateResampler(int sample_rate);

  [[nodiscard]] std::vector<float> push(
      std::span<const float> samples) override;
  [[nodiscard]] std::vector<float> finish() override;

 private:
  struct Delete {
    void operator()(SRC_STATE* state) const { src_delete(state); }
  };

  // Runs one portion through the library and appends what comes out.
  void convert(std::span<const float> samples, bool last,
               std::vector<float>& output);

  int sample_rate_;
  std::unique_ptr<SRC_STATE, Delete> state_;
  std::vector<float> waiting_;  // fewer than a portion
  std::int64_t num_input_ = 0;
  std::int64_t num_output_ = 0;
};

}  // namespace diarize
