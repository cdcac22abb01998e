#include "core/nn/packed_ops.h"

#include "core/error.h"

#include <ATen/core/List.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include <optional>
#include <string>
#include <utility>

namespace diarize::nn {
namespace {

using Ints = at::IntArrayRef;
using Scalars = c10::List<std::optional<at::Scalar>>;
using Bias = std::optional<at::Tensor>;
using Name = c10::string_view;

using ReorderConv = at::Tensor(const at::Tensor&, Ints, Ints, Ints,
                               std::int64_t, at::OptionalIntArrayRef);
using RunConv = at::Tensor(const at::Tensor&, const at::Tensor&, const Bias&,
                           Ints, Ints, Ints, std::int64_t, Name, Scalars,
                           std::optional<Name>);
using RunConvAdd = at::Tensor&(at::Tensor&, const at::Tensor&,
                               const at::Tensor&, const Bias&, Ints, Ints, Ints,
                               std::int64_t, Name, std::optional<at::Scalar>,
                               std::optional<Name>, Scalars,
                               std::optional<Name>);
using ReorderLinear = at::Tensor(const at::Tensor&,
                                 std::optional<std::int64_t>);
using RunLinear = at::Tensor(const at::Tensor&, const at::Tensor&, const Bias&,
                             Name, Scalars, std::optional<Name>);

template <typename Signature>
c10::TypedOperatorHandle<Signature> find_operator(const char* name,
                                                  const char* overload) {
  const auto found = c10::Dispatcher::singleton().findSchema({name, overload});
  if (!found) {
    throw FatalError(std::string("LibTorch has no operator ") + name +
                     ": its build with oneDNN for x86-64 is needed");
  }
  return found->template typed<Signature>();
}

// The operators, looked up once.
struct Operators {
  c10::TypedOperatorHandle<ReorderConv> reorder_conv =
      find_operator<ReorderConv>("mkldnn::_reorder_convolution_weight", "");
  c10::TypedOperatorHandle<RunConv> run_conv =
      find_operator<RunConv>("mkldnn::_convolution_pointwise", "");
  c10::TypedOperatorHandle<RunConvAdd> run_conv_add =
      find_operator<RunConvAdd>("mkldnn::_convolution_pointwise_", "binary");
  c10::TypedOperatorHandle<ReorderLinear> reorder_linear =
      find_operator<ReorderLinear>("mkldnn::_reorder_linear_weight", "");
  c10::TypedOperatorHandle<RunLinear> run_linear =
      find_operator<RunLinear>("mkldnn::_linear_pointwise", "");
};

const Operators& operators() {
  static const Operators kInstance;
  return kInstance;
}

Name name_of(Activation activation) {
  switch (activation) {
    case Activation::kRelu:
      return "relu";
    case Activation::kLeakyRelu:
      return "leaky_relu";
    case Activation::kNone:
      break;
  }
  return "none";
}

Scalars scalars_of(Activation activation) {
  Scalars result;
  if (activation == Activation::kLeakyRelu) {
    result.push_back(at::Scalar(kLeakySlope));
  }
  return result;
}

}  // namespace

at::ScalarType scalar_type(Precision precision) {
  return precision == Precision::kBfloat16 ? at::kBFloat16 : at::kFloat;
}

PackedConv::PackedConv(const at::Tensor& weight, at::Tensor bias,
                       const ConvGeometry& geometry, Activation activation,
                       std::array<std::int64_t, 4> input_size,
                       Precision precision)
    : weight_(operators().reorder_conv.call(
          weight.to(scalar_type(precision))
              .contiguous(at::MemoryFormat::ChannelsLast),
          geometry.padding, geometry.stride, geometry.dilation, 1,
          Ints(input_size))),
      bias_(std::move(bias)),
      add_bias_(bias_.to(scalar_type(precision))),
      geometry_(geometry),
      activation_(activation) {}

at::Tensor PackedConv::operator()(const at::Tensor& input) const {
  return operators().run_conv.call(
      input, weight_, bias_, geometry_.padding, geometry_.stride,
      geometry_.dilation, 1, name_of(activation_), scalars_of(activation_), "");
}

void PackedConv::add_to(at::Tensor& sum, const at::Tensor& input) const {
  operators().run_conv_add.call(
      sum, input, weight_, add_bias_, geometry_.padding, geometry_.stride,
      geometry_.dilation, 1, "add", at::Scalar(1.0), "relu", Scalars(), "");
}

PackedLinear::PackedLinear(const at::Tensor& weight, at::Tensor bias,
                           Activation activation, std::int64_t typical_rows)
    : weight_(
          operators().reorder_linear.call(weight.contiguous(), typical_rows)),
      bias_(std::move(bias)),
      activation_(activation) {}

at::Tensor PackedLinear::operator()(const at::Tensor& input) const {
  return operators().run_linear.call(
      input, weight_, bias_, name_of(activation_), scalars_of(activation_), "");
}

}  // namespace diarize::nn
