#include "core/nn/winograd_conv.h"

#include "tests/nn/noise.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace diarize::test {
namespace {

constexpr double kTolerance = 3e-6;  // of the norm

struct Layer {
  Layer(std::int64_t num_inputs, std::int64_t num_outputs)
      : inputs(num_inputs),
        outputs(num_outputs),
        weights(noise(num_outputs * num_inputs * 9, 1)),
        bias(noise(num_outputs, 2)),
        conv(weights, bias) {}

  // The sum of products at a pixel, with the bias, in double precision.
  [[nodiscard]] double plain(const nn::ImageIn& in, std::int64_t y,
                             std::int64_t x, std::int64_t output) const {
    double sum = bias[output];
    for (std::int64_t tap = 0; tap < 9; ++tap) {
      const std::int64_t row = y + tap / 3 - 1;
      const std::int64_t column = x + tap % 3 - 1;
      const bool inside =
          row >= 0 && row < in.height && column >= 0 && column < in.width;
      if (!inside) continue;
      const float* pixel = in.values + (row * in.width + column) * inputs;
      for (std::int64_t i = 0; i < inputs; ++i) {
        sum += double{pixel[i]} * weights[(output * inputs + i) * 9 + tap];
      }
    }
    return sum;
  }

  std::int64_t inputs;
  std::int64_t outputs;
  std::vector<float> weights;
  std::vector<float> bias;
  nn::WinogradConv conv;
};

// How far results are from relu(plain form + add), by their norms.
double difference(const Layer& layer, const nn::ImageIn& in,
                  const std::vector<float>& results,
                  const std::vector<float>& add) {
  double gap = 0.0;
  double norm = 0.0;
  for (std::int64_t i = 0; i < std::ssize(results); ++i) {
    const std::int64_t pixel = i / layer.outputs;
    const double sum =
        layer.plain(in, pixel / in.width, pixel % in.width, i % layer.outputs) +
        add[i];
    const double expected = std::max(sum, 0.0);
    gap += std::pow(results[i] - expected, 2);
    norm += expected * expected;
  }
  return std::sqrt(gap / norm);
}

}  // namespace

TEST_SUITE("winograd_conv") {
  TEST_CASE("images of any size give the plain convolution") {
    const Layer layer(32, 64);
    CHECK(layer.conv.num_inputs() == 32);
    CHECK(layer.conv.num_outputs() == 64);
    for (const auto& [height, width] :
         {std::pair{1, 1}, {4, 4}, {2, 9}, {10, 5}, {7, 40}, {3, 61}}) {
      const std::vector<float> pixels = noise(height * width * 32, 3);
      const nn::ImageIn in{pixels.data(), height, width};
      std::vector<float> out(height * width * 64, 9.0F);
      layer.conv.run(in, out.data());
      const std::vector<float> nothing(out.size());
      CAPTURE(height);
      CAPTURE(width);
      CHECK(difference(layer, in, out, nothing) < kTolerance);
    }
  }

  TEST_CASE("values are added before the ReLU, in place too") {
    const Layer layer(64, 32);
    const std::vector<float> pixels = noise(6 * 11 * 64, 4);
    const nn::ImageIn in{pixels.data(), 6, 11};
    const std::vector<float> before = noise(6 * 11 * 32, 5);
    std::vector<float> apart(before.size());
    layer.conv.run(in, apart.data(), before.data());
    CHECK(difference(layer, in, apart, before) < kTolerance);
    std::vector<float> in_place = before;
    layer.conv.run(in, in_place.data(), in_place.data());
    CHECK(in_place == apart);
  }

  TEST_CASE("a tile is the same bits whatever the image beside it") {
    const Layer layer(32, 32);
    const std::vector<float> pixels = noise(8 * 200 * 32, 6);
    std::vector<float> whole(pixels.size());
    layer.conv.run({pixels.data(), 8, 200}, whole.data());
    std::vector<float> left;
    for (int y = 0; y < 8; ++y) {
      const auto row = pixels.begin() + y * 200 * 32;
      left.insert(left.end(), row, row + 9 * 32);
    }
    std::vector<float> part(left.size());
    layer.conv.run({left.data(), 8, 9}, part.data());
    for (int y = 0; y < 8; ++y) {
      CHECK(std::equal(part.begin() + y * 9 * 32,
                       part.begin() + (y * 9 + 8) * 32,
                       whole.begin() + y * 200 * 32));
    }
  }

  TEST_CASE("channels that do not fit are a logic error") {
    const std::vector<float> weights(48 * 32 * 9);
    CHECK_THROWS_AS(nn::WinogradConv(weights, std::vector<float>(32)),
                    std::logic_error);
    CHECK_THROWS_AS(nn::WinogradConv(weights, std::vector<float>(48)),
                    std::logic_error);
    CHECK_THROWS_AS(nn::WinogradConv(weights, std::vector<float>(31)),
                    std::logic_error);
    CHECK_THROWS_AS(nn::WinogradConv(weights, {}), std::logic_error);
  }
}

}  // namespace diarize::test
