#pragma once

#include "core/nn/packed_ops.h"
#include "core/nn/precision.h"
#include "core/nn/winograd_conv.h"

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <variant>

namespace diarize::nn {

// A 3 x 3 convolution of a ResNet trunk with a ReLU behind it: WinogradConv
// where the stride is 1 and the precision float32, which halves the time of the
// trunk, and PackedConv elsewhere. Immutable, so threads may share it.
class TrunkConv {
 public:
  // weight: (out, in, 3, 3), multiples of 32; bias: (out).
  // input_size: typical (height, width).
  TrunkConv(const at::Tensor& weight, const at::Tensor& bias,
            std::int64_t stride, std::array<std::int64_t, 2> input_size,
            Precision precision);

  // input: (1, in, height, width) channels_last; so is the output.
  [[nodiscard]] at::Tensor operator()(const at::Tensor& input) const;

  // sum = relu(sum + convolution(input)), in place: the end of a residual
  // block. `sum` has the shape of the output.
  void add_to(at::Tensor& sum, const at::Tensor& input) const;

 private:
  std::variant<PackedConv, WinogradConv> conv_;
};

}  // namespace diarize::nn
