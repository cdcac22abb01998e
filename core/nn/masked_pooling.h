#pragma once

#include "core/types.h"

#include <cstdint>
#include <span>
#include <vector>

namespace diarize::nn {

// Frames of the ResNet trunk of a whole chunk.
inline constexpr int kTrunkFrames = 125;

// Trunk frames that a mask of segmentation frames selects: frame j where the
// mask holds at floor(j * 589 / 125), in ascending order (pyannote.audio 4.0,
// StatsPool: nearest-neighbour interpolation). A short run of mask frames can
// fall between two of them and vanish.
[[nodiscard]] std::vector<int> selected_trunk_frames(const FrameSet& mask);

// Mean and standard deviation over the selected frames, by rows and channels.
//
// trunk: (num_rows, num_frames, num_channels); `selected` holds frames of it.
// Returns (2, num_rows, num_channels): mean = sum a / m, then
// sqrt(sum (a - mean)^2 / (m - 1)) with the sums of pyannote.audio 4.0,
// StatsPool, for weights of 0 and 1: all zeros if nothing is selected, and no
// deviation if one frame is.
[[nodiscard]] std::vector<float> pooled_statistics(
    std::span<const float> trunk, int num_rows, int num_frames,
    int num_channels, std::span<const int> selected);

}  // namespace diarize::nn
