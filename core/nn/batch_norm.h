#pragma once

#include "core/weights.h"

#include <cstddef>
#include <string>
#include <vector>

namespace diarize::nn {

// Batch norm in evaluation mode as y = scale * x + shift, one value a channel.
struct ChannelAffine {
  std::vector<float> scale;
  std::vector<float> shift;
};

// Takes `name.running_mean`, `.running_var` and, where the norm has them,
// `.weight` and `.bias`; epsilon 1e-5. Computed in float64.
[[nodiscard]] ChannelAffine take_batch_norm(WeightMap& weights,
                                            const std::string& name,
                                            std::size_t channels,
                                            bool has_affine = true);

}  // namespace diarize::nn
