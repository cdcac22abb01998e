#include "core/nn/packed_ops.h"

#include "core/nn/torch_scope.h"
#include "tests/nn/golden.h"

#include <ATen/ATen.h>
#include <doctest/doctest.h>

namespace diarize::test {
namespace {

constexpr double kTolerance = 3e-6;  // float32 sums in another order

at::Tensor plain_conv(const at::Tensor& input, const at::Tensor& weight,
                      const at::Tensor& bias,
                      const nn::ConvGeometry& geometry) {
  return at::conv2d(input, weight, bias, geometry.stride, geometry.padding,
                    geometry.dilation);
}

at::Tensor channels_last(const at::Tensor& values) {
  return values.contiguous(at::MemoryFormat::ChannelsLast);
}

}  // namespace

TEST_SUITE("packed_ops") {
  TEST_CASE("a packed convolution equals the plain one") {
    nn::in_torch([] {
      const nn::ConvGeometry geometry{
          .stride = {1, 2}, .padding = {1, 2}, .dilation = {1, 2}};
      const at::Tensor weight = at::randn({32, 48, 3, 3}) / 20;
      const at::Tensor bias = at::randn({32});
      const nn::PackedConv conv(weight, bias, geometry, nn::Activation::kRelu,
                                {1, 48, 20, 30});
      for (const std::int64_t width : {30, 11, 5}) {
        const at::Tensor input = at::randn({3, 48, 7, width});
        const at::Tensor expected =
            plain_conv(input, weight, bias, geometry).relu();
        CHECK(relative_difference(conv(channels_last(input)), expected) <
              kTolerance);
      }
    });
  }

  TEST_CASE("add_to ends a residual block in place") {
    nn::in_torch([] {
      const nn::ConvGeometry geometry{.padding = {1, 1}};
      const at::Tensor weight = at::randn({32, 32, 3, 3}) / 17;
      const at::Tensor bias = at::randn({32});
      const nn::PackedConv conv(weight, bias, geometry, nn::Activation::kNone,
                                {1, 32, 20, 30});
      const at::Tensor input = channels_last(at::randn({2, 32, 9, 10}));
      at::Tensor sum = channels_last(at::randn({2, 32, 9, 10}));
      const at::Tensor expected =
          (sum + plain_conv(input, weight, bias, geometry)).relu();
      conv.add_to(sum, input);
      CHECK(relative_difference(sum, expected) < kTolerance);
    });
  }

  TEST_CASE("a packed linear layer equals the plain one") {
    nn::in_torch([] {
      const at::Tensor weight = at::randn({128, 300}) / 17;
      const at::Tensor bias = at::randn({128});
      const nn::PackedLinear leaky(weight, bias, nn::Activation::kLeakyRelu,
                                   64);
      const nn::PackedLinear none(weight, bias, nn::Activation::kNone, 64);
      for (const std::int64_t rows : {1, 2, 64, 100}) {
        const at::Tensor input = at::randn({rows, 300});
        const at::Tensor expected = at::linear(input, weight, bias);
        CHECK(relative_difference(none(input), expected) < kTolerance);
        CHECK(relative_difference(leaky(input), at::leaky_relu(expected)) <
              kTolerance);
      }
    });
  }

  TEST_CASE("an error of torch becomes one of ours") {
    CHECK_THROWS_AS(nn::in_torch([] {
                      return at::zeros({2, 3}).matmul(at::zeros({2, 3}));
                    }),
                    FatalError);
  }
}

}  // namespace diarize::test
