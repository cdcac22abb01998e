#include "io/channel_mix.h"

#include <cstddef>

namespace diarize {

std::vector<float> take_channel(std::span<const float> interleaved,
                                int num_channels, int channel) {
  const auto stride = static_cast<std::size_t>(num_channels);
  std::vector<float> samples(interleaved.size() / stride);
  const float* source = interleaved.data() + channel;
  for (std::size_t frame = 0; frame < samples.size(); ++frame) {
    samples[frame] = source[frame * stride];
  }
  return samples;
}

std::vector<float> mean_of_channels(std::span<const float> interleaved,
                                    int num_channels) {
  std::vector<float> mean = take_channel(interleaved, num_channels, 0);
  if (num_channels == 1) return mean;
  const auto stride = static_cast<std::size_t>(num_channels);
  for (std::size_t frame = 0; frame < mean.size(); ++frame) {
    const float* row = interleaved.data() + frame * stride;
    for (std::size_t channel = 1; channel < stride; ++channel) {
      mean[frame] += row[channel];
    }
    mean[frame] /= static_cast<float>(num_channels);
  }
  return mean;
}

}  // namespace diarize
