#include "core/nn/masked_pooling.h"

#include <cmath>
#include <cstddef>

namespace diarize::nn {
namespace {

// One row of the trunk: mean and deviation of every channel.
void pool_row(const float* row, int num_channels, std::span<const int> selected,
              float* mean, float* deviation) {
  const auto count = static_cast<float>(selected.size());
  for (const int frame : selected) {
    const float* values =
        row + static_cast<std::ptrdiff_t>(frame) * num_channels;
    for (int c = 0; c < num_channels; ++c) mean[c] += values[c];
  }
  for (int c = 0; c < num_channels; ++c) mean[c] /= count;
  if (selected.size() < 2) return;
  for (const int frame : selected) {
    const float* values =
        row + static_cast<std::ptrdiff_t>(frame) * num_channels;
    for (int c = 0; c < num_channels; ++c) {
      const float difference = values[c] - mean[c];
      deviation[c] += difference * difference;
    }
  }
  for (int c = 0; c < num_channels; ++c) {
    deviation[c] = std::sqrt(deviation[c] / (count - 1.0F));
  }
}

}  // namespace

std::vector<int> selected_trunk_frames(const FrameSet& mask) {
  std::vector<int> selected;
  for (int frame = 0; frame < kTrunkFrames; ++frame) {
    const auto source =
        static_cast<std::size_t>(frame * kNumFrames / kTrunkFrames);
    if (mask.test(source)) selected.push_back(frame);
  }
  return selected;
}

std::vector<float> pooled_statistics(std::span<const float> trunk, int num_rows,
                                     int num_frames, int num_channels,
                                     std::span<const int> selected) {
  const auto size = static_cast<std::size_t>(num_rows) * num_channels;
  std::vector<float> statistics(2 * size, 0.0F);
  if (selected.empty()) return statistics;
  for (int row = 0; row < num_rows; ++row) {
    const auto at = static_cast<std::size_t>(row) * num_channels;
    pool_row(trunk.data() + at * num_frames, num_channels, selected,
             statistics.data() + at, statistics.data() + size + at);
  }
  return statistics;
}

}  // namespace diarize::nn
