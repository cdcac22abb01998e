#pragma once

#include "core/weights.h"

#include <ATen/core/Tensor.h>

#include <concepts>
#include <cstdint>
#include <span>
#include <string>

namespace diarize::nn {

// A tensor with values of its own.
[[nodiscard]] at::Tensor make_tensor(const WeightTensor& weight);

// The values of a contiguous float32 tensor, which must outlive them.
[[nodiscard]] std::span<const float> span_of(const at::Tensor& tensor);

// Takes a weight of these sizes out of the map. Throws FatalError if it is
// absent or has others.
template <std::integral... Sizes>
[[nodiscard]] at::Tensor take_tensor(WeightMap& weights,
                                     const std::string& name, Sizes... sizes) {
  return make_tensor(weights.take(name, {static_cast<std::size_t>(sizes)...}));
}

}  // namespace diarize::nn
