#include "core/nn/take_tensor.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace diarize::nn {
namespace {

constexpr double kEpsilon = 1e-5;  // of all batch norms

}  // namespace

at::Tensor make_tensor(const WeightTensor& weight) {
  const std::vector<std::int64_t> shape(weight.shape.begin(),
                                        weight.shape.end());
  at::Tensor result = at::empty(shape, at::kFloat);
  std::copy(weight.values.begin(), weight.values.end(),
            result.mutable_data_ptr<float>());
  return result;
}

ChannelAffine take_batch_norm(WeightMap& weights, const std::string& name,
                              std::int64_t channels, bool has_affine) {
  const auto num_channels = static_cast<std::size_t>(channels);
  const auto take = [&](const char* part) {
    return weights.take(name + part, {num_channels}).values;
  };
  const std::vector<float> mean = take(".running_mean");
  const std::vector<float> variance = take(".running_var");
  std::vector<float> scale(num_channels, 1.0F);
  std::vector<float> shift(num_channels, 0.0F);
  if (has_affine) {
    scale = take(".weight");
    shift = take(".bias");
  }
  for (std::size_t c = 0; c < num_channels; ++c) {
    const double factor = scale[c] / std::sqrt(variance[c] + kEpsilon);
    shift[c] = static_cast<float>(shift[c] - mean[c] * factor);
    scale[c] = static_cast<float>(factor);
  }
  return {make_tensor({{num_channels}, std::move(scale)}),
          make_tensor({{num_channels}, std::move(shift)})};
}

}  // namespace diarize::nn
