#include "core/nn/trunk_conv.h"

#include "core/nn/take_tensor.h"

#include <ATen/ATen.h>

namespace diarize::nn {
namespace {

std::variant<PackedConv, WinogradConv> make_conv(
    const at::Tensor& weight, const at::Tensor& bias, std::int64_t stride,
    std::array<std::int64_t, 2> input_size, Precision precision) {
  if (stride == 1 && precision == Precision::kFloat32) {
    const at::Tensor rows = weight.contiguous();
    return WinogradConv(span_of(rows), span_of(bias));
  }
  return PackedConv(
      weight, bias,
      {.stride = {stride, stride}, .padding = {1, 1}, .dilation = {1, 1}},
      Activation::kRelu, {1, weight.size(1), input_size[0], input_size[1]},
      precision);
}

ImageIn image_of(const at::Tensor& input) {
  return {input.data_ptr<float>(), input.size(2), input.size(3)};
}

}  // namespace

TrunkConv::TrunkConv(const at::Tensor& weight, const at::Tensor& bias,
                     std::int64_t stride,
                     std::array<std::int64_t, 2> input_size,
                     Precision precision)
    : conv_(make_conv(weight, bias, stride, input_size, precision)) {}

at::Tensor TrunkConv::operator()(const at::Tensor& input) const {
  if (const auto* packed = std::get_if<PackedConv>(&conv_)) {
    return (*packed)(input);
  }
  const auto& winograd = std::get<WinogradConv>(conv_);
  at::Tensor output = at::empty(
      {1, winograd.num_outputs(), input.size(2), input.size(3)},
      at::TensorOptions().memory_format(at::MemoryFormat::ChannelsLast));
  winograd.run(image_of(input), output.data_ptr<float>());
  return output;
}

void TrunkConv::add_to(at::Tensor& sum, const at::Tensor& input) const {
  if (const auto* packed = std::get_if<PackedConv>(&conv_)) {
    packed->add_to(sum, input);
    return;
  }
  auto* out = sum.data_ptr<float>();
  std::get<WinogradConv>(conv_).run(image_of(input), out, out);
}

}  // namespace diarize::nn
