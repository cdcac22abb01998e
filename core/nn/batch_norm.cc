#include "core/nn/batch_norm.h"

#include <cmath>
#include <utility>

namespace diarize::nn {

ChannelAffine take_batch_norm(WeightMap& weights, const std::string& name,
                              std::size_t channels, bool has_affine) {
  constexpr double kEpsilon = 1e-5;
  const auto take = [&](const char* part) {
    return weights.take(name + part, {channels}).values;
  };
  const std::vector<float> mean = take(".running_mean");
  const std::vector<float> variance = take(".running_var");
  std::vector<float> scale(channels, 1.0F);
  std::vector<float> shift(channels, 0.0F);
  if (has_affine) {
    scale = take(".weight");
    shift = take(".bias");
  }
  for (std::size_t c = 0; c < channels; ++c) {
    const double factor = scale[c] / std::sqrt(variance[c] + kEpsilon);
    shift[c] = static_cast<float>(shift[c] - mean[c] * factor);
    scale[c] = static_cast<float>(factor);
  }
  return {std::move(scale), std::move(shift)};
}

}  // namespace diarize::nn
