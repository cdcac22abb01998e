#include "core/nn/take_tensor.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <vector>

namespace diarize::nn {

at::Tensor make_tensor(const WeightTensor& weight) {
  const std::vector<std::int64_t> shape(weight.shape.begin(),
                                        weight.shape.end());
  at::Tensor result = at::empty(shape, at::kFloat);
  std::copy(weight.values.begin(), weight.values.end(),
            result.mutable_data_ptr<float>());
  return result;
}

std::span<const float> span_of(const at::Tensor& tensor) {
  return {tensor.const_data_ptr<float>(),
          static_cast<std::size_t>(tensor.numel())};
}

}  // namespace diarize::nn
