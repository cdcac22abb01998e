#include "core/nn/dense_ops.h"

#include "tests/nn/noise.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace diarize::test {
namespace {

constexpr double kTolerance = 1e-5;

// The gate of one segment, by its definition in float64.
std::vector<double> expected_gate(const std::vector<float>& hidden,
                                  std::int64_t num_frames, std::int64_t begin,
                                  const nn::ContextGate& gate) {
  const std::int64_t end = std::min<std::int64_t>(num_frames, begin + 100);
  std::vector<double> context(128);
  for (int c = 0; c < 128; ++c) {
    for (std::int64_t t = 0; t < num_frames; ++t) {
      context[c] += hidden[t * 128 + c] / static_cast<double>(num_frames);
    }
    for (std::int64_t t = begin; t < end; ++t) {
      context[c] += hidden[t * 128 + c] / static_cast<double>(end - begin);
    }
  }
  std::vector<double> result(32);
  for (int out = 0; out < 32; ++out) {
    double sum = gate.second_bias[out];
    for (int k = 0; k < 64; ++k) {
      double inner = gate.first_bias[k];
      for (int c = 0; c < 128; ++c)
        inner += gate.first[c * 64 + k] * context[c];
      sum += std::max(inner, 0.0) * gate.second[k * 32 + out];
    }
    result[out] = 1.0 / (1.0 + std::exp(-sum));
  }
  return result;
}

}  // namespace

TEST_SUITE("dense_ops") {
  TEST_CASE("the affine ReLU reads strided rows and writes dense ones") {
    constexpr std::int64_t kStride = 96;
    const std::vector<float> in = noise(5 * kStride, 1, 0.3F, 0.1F);
    const std::vector<float> scale = noise(64, 2, 0.3F, 0.1F);
    const std::vector<float> shift = noise(64, 3, 0.3F, 0.1F);
    std::vector<float> out(5 * 64);
    nn::affine_relu({in.data(), kStride}, 5, scale, shift, {out.data(), 64});
    for (int t = 0; t < 5; ++t) {
      for (int c = 0; c < 64; ++c) {
        const double expected =
            std::max(0.0, double{in[t * kStride + c]} * scale[c] + shift[c]);
        CHECK(std::abs(out[t * 64 + c] - expected) < kTolerance);
      }
    }
  }

  TEST_CASE("each segment of a hundred frames has a gate of its own") {
    const std::vector<float> first = noise(128 * 64, 4, 0.3F, 0.1F);
    const std::vector<float> first_bias = noise(64, 5, 0.3F, 0.1F);
    const std::vector<float> second = noise(64 * 32, 6, 0.3F, 0.1F);
    const std::vector<float> second_bias = noise(32, 7, 0.3F, 0.1F);
    const nn::ContextGate gate{first, first_bias, second, second_bias};
    for (const std::int64_t num_frames : {1, 75, 100, 101, 250}) {
      const std::vector<float> hidden = noise(num_frames * 128, 8, 0.3F, 0.1F);
      const std::vector<float> local = noise(num_frames * 32, 9, 0.3F, 0.1F);
      constexpr std::int64_t kStride = 40;
      std::vector<float> out(num_frames * kStride, -1.0F);
      nn::apply_gate(hidden.data(), local.data(), num_frames, gate, out.data(),
                     kStride);
      for (std::int64_t t = 0; t < num_frames; t += 25) {
        const auto expected =
            expected_gate(hidden, num_frames, t / 100 * 100, gate);
        for (int c = 0; c < 32; ++c) {
          CHECK(std::abs(out[t * kStride + c] -
                         local[t * 32 + c] * expected[c]) < kTolerance);
        }
        CHECK(out[t * kStride + 32] == -1.0F);
      }
    }
  }

  TEST_CASE("statistics are the mean and the unbiased deviation") {
    const std::vector<float> in = {1.0F, 10.0F, 2.0F, 10.0F, 6.0F, 13.0F};
    std::vector<float> out(4);
    nn::pool_statistics(in.data(), 3, out);
    CHECK(out[0] == doctest::Approx(3.0));
    CHECK(out[1] == doctest::Approx(11.0));
    CHECK(out[2] == doctest::Approx(std::sqrt(7.0)));
    CHECK(out[3] == doctest::Approx(std::sqrt(3.0)));
  }
}

}  // namespace diarize::test
