#include "core/nn/panel_product.h"

#include "tests/nn/noise.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace diarize::test {
namespace {

constexpr double kTolerance = 2e-5;  // float32 sums of a few hundred products

double dot(const float* a, const float* b, std::int64_t length) {
  double sum = 0.0;
  for (std::int64_t k = 0; k < length; ++k) sum += double{a[k]} * b[k];
  return sum;
}

}  // namespace

TEST_SUITE("panel_product") {
  TEST_CASE("every number of rows gives the rows of the product") {
    constexpr std::int64_t kInputs = 100;
    constexpr std::int64_t kOutputs = 64;
    constexpr std::int64_t kStride = 110;
    constexpr std::int64_t kOutStride = 70;
    const std::vector<float> weights = noise(kOutputs * kInputs, 1);
    const std::vector<float> bias = noise(kOutputs, 2);
    const nn::PanelMatrix matrix(weights, bias, {kInputs});
    CHECK(matrix.num_outputs() == kOutputs);
    for (std::int64_t rows = 1; rows < 32; ++rows) {
      const std::vector<float> in = noise(rows * kStride, 3);
      std::vector<float> out(rows * kOutStride, 5.0F);
      const nn::RowsIn from{in.data(), kStride};
      nn::multiply(matrix, {&from, 1}, rows, false, {out.data(), kOutStride});
      for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t n = 0; n < kOutputs; ++n) {
          const double expected = bias[n] + dot(in.data() + r * kStride,
                                                &weights[n * kInputs], kInputs);
          CHECK(std::abs(out[r * kOutStride + n] - expected) < kTolerance);
        }
        CHECK(out[r * kOutStride + kOutputs] == 5.0F);
      }
    }
  }

  TEST_CASE("a row is the same bits whatever the rows beside it") {
    const nn::PanelMatrix matrix(noise(128 * 1000, 4), noise(128, 5), {1000});
    const std::vector<float> in = noise(60 * 1000, 6);
    std::vector<float> all(60 * 128);
    const nn::RowsIn from{in.data(), 1000};
    nn::multiply(matrix, {&from, 1}, 60, true, {all.data(), 128});
    for (const std::int64_t rows : {1, 2, 3, 5, 14, 15, 29, 40}) {
      const std::int64_t first = 60 - rows;
      std::vector<float> part(rows * 128);
      const nn::RowsIn tail{in.data() + first * 1000, 1000};
      nn::multiply(matrix, {&tail, 1}, rows, true, {part.data(), 128});
      CHECK(std::equal(part.begin(), part.end(), all.begin() + first * 128));
    }
  }

  TEST_CASE("runs are summed and values added before the ReLU") {
    const std::vector<std::int64_t> runs = {9, 32, 1};
    const std::vector<float> weights = noise(32 * 42, 7);
    const nn::PanelMatrix matrix(weights, {}, runs);
    const std::vector<float> a = noise(100, 8);
    const std::vector<float> b = noise(400, 9);
    const std::vector<float> c = noise(20, 10);
    const std::vector<nn::RowsIn> inputs = {
        {a.data(), 1}, {b.data(), 32}, {c.data(), 2}};
    const std::vector<float> before = noise(10 * 32, 11);
    std::vector<float> out = before;
    nn::multiply(matrix, inputs, 10, true, {out.data(), 32}, {out.data(), 32});
    for (std::int64_t r = 0; r < 10; ++r) {
      for (std::int64_t n = 0; n < 32; ++n) {
        const float* w = &weights[n * 42];
        const double sum = before[r * 32 + n] + dot(&a[r], w, 9) +
                           dot(&b[r * 32], w + 9, 32) +
                           dot(&c[r * 2], w + 41, 1);
        CHECK(std::abs(out[r * 32 + n] - std::max(sum, 0.0)) < kTolerance);
      }
    }
  }

  TEST_CASE("shapes that do not fit are a logic error") {
    CHECK_THROWS_AS(nn::PanelMatrix(noise(30 * 4, 1), {}, {4}),
                    std::logic_error);
    CHECK_THROWS_AS(nn::PanelMatrix(noise(32 * 4, 1), {}, {3}),
                    std::logic_error);
    const nn::PanelMatrix matrix(noise(32 * 4, 1), {}, {4});
    CHECK_THROWS_AS(nn::multiply(matrix, {}, 1, false, {}), std::logic_error);
  }
}

}  // namespace diarize::test
