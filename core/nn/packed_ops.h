#pragma once

#include "core/nn/precision.h"

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>

namespace diarize::nn {

// The type of values of a precision.
[[nodiscard]] at::ScalarType scalar_type(Precision precision);

// What follows a packed convolution or linear layer, in the same pass.
enum class Activation { kNone, kRelu, kLeakyRelu };

// Negative slope of Activation::kLeakyRelu, the default of torch.
inline constexpr double kLeakySlope = 0.01;

// How a convolution moves over (height, width).
struct ConvGeometry {
  std::array<std::int64_t, 2> stride{1, 1};
  std::array<std::int64_t, 2> padding{0, 0};
  std::array<std::int64_t, 2> dilation{1, 1};
};

// A 2-d convolution with its weights in the blocked layout of oneDNN, reached
// through the operators that torch registers for its own compiler
// (mkldnn::_convolution_pointwise). CPU only.
//
// Immutable, so threads may share it. A row of the output depends on its own
// receptive field alone, bit for bit: not on the batch it is computed in.
class PackedConv {
 public:
  // weight: (out, in, height, width); bias: (out).
  // input_size: typical (batch, in, height, width), which the layout is chosen
  // for; others work too. `precision` is that of inputs, weights and outputs;
  // the bias and the sums are always float32. Throws FatalError if this build
  // of LibTorch has no packed operators.
  PackedConv(const at::Tensor& weight, at::Tensor bias,
             const ConvGeometry& geometry, Activation activation,
             std::array<std::int64_t, 4> input_size,
             Precision precision = Precision::kFloat32);

  // input: (batch, in, height, width) channels_last; so is the output.
  [[nodiscard]] at::Tensor operator()(const at::Tensor& input) const;

  // sum = relu(sum + convolution(input)), in place: the end of a residual
  // block. `sum` has the shape of the output. The activation is not used.
  void add_to(at::Tensor& sum, const at::Tensor& input) const;

 private:
  at::Tensor weight_;
  at::Tensor bias_;      // float32
  at::Tensor add_bias_;  // of the precision, as add_to() wants it
  ConvGeometry geometry_;
  Activation activation_;
};

// A linear layer, as PackedConv.
class PackedLinear {
 public:
  // weight: (out, in); bias: (out).
  PackedLinear(const at::Tensor& weight, at::Tensor bias, Activation activation,
               std::int64_t typical_rows);

  // input: (rows, in) -> (rows, out).
  [[nodiscard]] at::Tensor operator()(const at::Tensor& input) const;

 private:
  at::Tensor weight_;
  at::Tensor bias_;
  Activation activation_;
};

}  // namespace diarize::nn
