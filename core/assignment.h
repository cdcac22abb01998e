#pragma once

#include "core/array.h"
#include "core/types.h"

#include <array>
#include <cstdint>

namespace diarize {

// Gives the local speakers of one chunk clusters of their own, so that the sum
// of their similarities is the largest; of equal sums (to 1e-12) the first.
//
// similarity: (kNumLocalSpeakers, num_clusters); rows of speakers that are not
// `present` are not looked at, and these get kInactive. So do those that are
// left over where there are fewer clusters than speakers. Only the best three
// clusters of a speaker can matter, and every choice of them is tried: at most
// 64. Cost: linear in the number of clusters.
[[nodiscard]] std::array<std::int32_t, kNumLocalSpeakers> assign_speakers(
    const Array<double, 2>& similarity,
    const std::array<bool, kNumLocalSpeakers>& present);

}  // namespace diarize
