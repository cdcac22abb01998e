#include "core/nn/pool_norm.h"

#include "tests/nn/noise.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace diarize::test {
namespace {

constexpr double kTolerance = 2e-5;  // float32 sums over a thousand rows

}  // namespace

TEST_SUITE("pool_norm") {
  TEST_CASE("magnitudes are pooled behind the affine map") {
    constexpr int kChannels = 80;
    constexpr std::int64_t kRows = 7;
    const std::vector<float> in = noise(3 * kRows * kChannels, 1, 1.0F, 0.0F);
    const std::vector<float> shift = noise(kChannels, 2, 1.0F, 0.0F);
    std::vector<float> out(kRows * kChannels);
    nn::pool_magnitudes(in.data(), kRows, kChannels, {-1.5F, shift},
                        out.data());
    for (std::int64_t row = 0; row < kRows; ++row) {
      for (int c = 0; c < kChannels; ++c) {
        double expected = 0.0;
        for (int i = 0; i < 3; ++i) {
          const double value =
              -1.5 * in[(3 * row + i) * kChannels + c] + shift[c];
          expected = std::max(expected, std::abs(value));
        }
        CHECK(out[row * kChannels + c] ==
              doctest::Approx(expected).epsilon(1e-5));
      }
    }
  }

  TEST_CASE("the largest of three rows is kept also where all are negative") {
    constexpr int kChannels = 60;
    constexpr std::int64_t kRows = 5;
    constexpr std::int64_t kStride = 64;
    const std::vector<float> in = noise(3 * kRows * kStride, 3, 1.0F, -9.0F);
    std::vector<float> out(kRows * kChannels);
    nn::pool(in.data(), kStride, kRows, kChannels, out.data());
    for (std::int64_t row = 0; row < kRows; ++row) {
      for (int c = 0; c < kChannels; ++c) {
        CHECK(out[row * kChannels + c] ==
              std::max({in[3 * row * kStride + c],
                        in[(3 * row + 1) * kStride + c],
                        in[(3 * row + 2) * kStride + c]}));
      }
    }
  }

  TEST_CASE("the norm uses the mean and biased variance of its rows") {
    for (const int channels : {60, 80}) {
      constexpr std::int64_t kRows = 1000;
      const std::vector<float> in = noise(kRows * channels, 4, 1.0F, 30.0F);
      const std::vector<float> weight = noise(channels, 5, 1.0F, 1.0F);
      const std::vector<float> bias = noise(channels, 6, 1.0F, 0.0F);
      std::vector<float> out = in;
      nn::normalize_leaky_relu(out.data(), kRows, channels, {weight, bias});
      for (int c = 0; c < channels; ++c) {
        double mean = 0.0;
        double variance = 0.0;
        for (std::int64_t row = 0; row < kRows; ++row) {
          mean += in[row * channels + c] / static_cast<double>(kRows);
        }
        for (std::int64_t row = 0; row < kRows; ++row) {
          variance += std::pow(in[row * channels + c] - mean, 2.0) /
                      static_cast<double>(kRows);
        }
        const double scale = weight[c] / std::sqrt(variance + 1e-5);
        for (std::int64_t row = 0; row < kRows; row += 101) {
          const double value =
              (in[row * channels + c] - mean) * scale + bias[c];
          const double expected = value > 0.0 ? value : 0.01 * value;
          CHECK(std::abs(out[row * channels + c] - expected) < kTolerance);
        }
      }
    }
  }

  TEST_CASE("other numbers of channels are refused") {
    float value = 0.0F;
    CHECK_THROWS_AS(nn::pool(&value, 64, 0, 64, &value), std::logic_error);
  }
}

}  // namespace diarize::test
