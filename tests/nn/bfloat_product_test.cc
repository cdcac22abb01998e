#include "core/cpu_level.h"
#include "core/nn/bfloat_tile.h"
#include "core/nn/panel_product.h"
#include "tests/nn/bfloat16_levels.h"
#include "tests/nn/noise.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace diarize::test {
namespace {

float rounded(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t half = 0x7FFFU + ((bits >> 16U) & 1U);
  return std::bit_cast<float>((bits + half) & 0xFFFF0000U);
}

float widened(std::uint16_t value) {
  return std::bit_cast<float>(std::uint32_t{value} << 16U);
}

constexpr std::int64_t kInputs = 96;
constexpr std::int64_t kOutputs = 64;
constexpr std::array kPrecisions = {Precision::kBfloat16,
                                    Precision::kBfloat16x3};

// In float64, of values rounded to bfloat16, or as they are if split.
double dot(Precision precision, const float* a, const float* b,
           std::int64_t length) {
  const bool exact = precision == Precision::kBfloat16x3;
  double sum = 0.0;
  for (std::int64_t k = 0; k < length; ++k) {
    sum += exact ? double{a[k]} * b[k] : double{rounded(a[k])} * rounded(b[k]);
  }
  return sum;
}

// Float32 sums of exact products; or products of 16 bits of up to 200 factors
// of about 0.3.
double tolerance(Precision precision) {
  return precision == Precision::kBfloat16 ? 1e-5 : 1e-4;
}

// Rows that lie apart, results that do, and something behind each.
void check_every_number(Precision precision, const std::vector<float>& bias) {
  constexpr std::int64_t kStride = 110;
  constexpr std::int64_t kOutStride = 70;
  const std::vector<float> weights = noise(kOutputs * kInputs, 1);
  const nn::PanelMatrix matrix(weights, bias, {kInputs}, precision);
  CHECK(matrix.precision() == precision);
  for (std::int64_t rows = 1; rows < 70; ++rows) {
    const std::vector<float> in = noise(rows * kStride, 3);
    std::vector<float> out(rows * kOutStride, 5.0F);
    const nn::RowsIn from{in.data(), kStride};
    nn::multiply(matrix, {&from, 1}, rows, false, {out.data(), kOutStride});
    double worst = 0.0;
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t n = 0; n < kOutputs; ++n) {
        const double expected = (bias.empty() ? 0.0F : bias[n]) +
                                dot(precision, in.data() + r * kStride,
                                    &weights[n * kInputs], kInputs);
        worst = std::max(worst, std::abs(out[r * kOutStride + n] - expected));
      }
      CHECK(out[r * kOutStride + kOutputs] == 5.0F);
    }
    CHECK(worst < tolerance(precision));
  }
}

// Three runs, two of which overlap; values added from elsewhere.
void check_runs(Precision precision, bool relu) {
  constexpr std::int64_t kRows = 40;
  constexpr std::int64_t kAddStride = 33;
  const std::vector<float> weights = noise(32 * 192, 7);
  const std::vector<float> a = noise(2000, 8);
  const std::vector<float> b = noise(4000, 9);
  const std::vector<float> c = noise(2000, 10);
  const std::vector<nn::RowsIn> inputs = {
      {a.data(), 32}, {b.data(), 100}, {c.data(), 32}};
  const std::vector<float> add = noise(kRows * kAddStride, 11);
  std::vector<float> out(kRows * 32);
  nn::multiply(nn::PanelMatrix(weights, {}, {96, 64, 32}, precision), inputs,
               kRows, relu, {out.data(), 32}, {add.data(), kAddStride});
  double worst = 0.0;
  for (std::int64_t r = 0; r < kRows; ++r) {
    for (std::int64_t n = 0; n < 32; ++n) {
      const float* w = &weights[n * 192];
      const double sum = add[r * kAddStride + n] +
                         dot(precision, &a[r * 32], w, 96) +
                         dot(precision, &b[r * 100], w + 96, 64) +
                         dot(precision, &c[r * 32], w + 160, 32);
      const double expected = relu ? std::max(sum, 0.0) : sum;
      worst = std::max(worst, std::abs(out[r * 32 + n] - expected));
    }
  }
  CHECK(worst < tolerance(precision));
}

// Some rows by themselves are the same bits as among 75. matrix: (128, 1024).
void check_rows_alone(const nn::PanelMatrix& matrix, bool relu) {
  const std::vector<float> in = noise(75 * 1024, 6);
  std::vector<float> all(75 * 128);
  const nn::RowsIn from{in.data(), 1024};
  nn::multiply(matrix, {&from, 1}, 75, relu, {all.data(), 128});
  for (const std::int64_t rows : {1, 2, 7, 15, 16, 17, 31, 32, 33, 64}) {
    const std::int64_t first = 75 - rows;
    std::vector<float> part(rows * 128);
    const nn::RowsIn tail{in.data() + first * 1024, 1024};
    nn::multiply(matrix, {&tail, 1}, rows, relu, {part.data(), 128});
    CHECK(std::equal(part.begin(), part.end(), all.begin() + first * 128));
  }
}

}  // namespace

TEST_SUITE("bfloat_product") {
  TEST_CASE("values round to the nearest and half to even") {
    for (const CpuLevel level : bfloat16_levels()) {
      const CpuLevelLimit limit(level);
      std::vector<float> values = noise(37, 1);
      values[0] = std::bit_cast<float>(0x3F808000U);
      values[1] = std::bit_cast<float>(0x3F818000U);
      std::vector<std::uint16_t> found(values.size() + 1, 7);
      nn::to_bfloat16(values, found.data());
      for (std::size_t i = 0; i < values.size(); ++i) {
        CHECK(found[i] ==
              std::bit_cast<std::uint32_t>(rounded(values[i])) >> 16U);
      }
      CHECK(found.back() == 7);
    }
  }

  TEST_CASE("a value is split in its bfloat16 and what that leaves") {
    for (const CpuLevel level : bfloat16_levels()) {
      const CpuLevelLimit limit(level);
      const std::vector<float> values = noise(37, 1);
      std::vector<std::uint16_t> high(values.size() + 1, 7);
      std::vector<std::uint16_t> low(values.size() + 1, 8);
      nn::split_bfloat16(values, high.data(), low.data());
      for (std::size_t i = 0; i < values.size(); ++i) {
        CHECK(widened(high[i]) == rounded(values[i]));
        CHECK(widened(low[i]) == rounded(values[i] - rounded(values[i])));
      }
      CHECK(high.back() == 7);
      CHECK(low.back() == 8);
    }
  }

  TEST_CASE("split factors give products of 16 bits, added to what is there") {
    constexpr double kError = 1.0 / (1 << 16);  // of each product
    for (const CpuLevel level : bfloat16_levels()) {
      const CpuLevelLimit limit(level);
      // An odd number of panels, too.
      for (const std::int64_t outputs : {32, 64, 96}) {
        const std::vector<float> weights = noise(outputs * kInputs, 1);
        const nn::PanelMatrix matrix(weights, {}, {kInputs},
                                     Precision::kBfloat16x3);
        CHECK(matrix.precision() == Precision::kBfloat16x3);
        for (const std::int64_t rows : {1, 3, 8, 15, 16, 17, 31, 32, 33, 70}) {
          const std::vector<float> in = noise(rows * kInputs, 3);
          const std::vector<float> before = noise(rows * outputs, 4);
          std::vector<float> out = before;
          const nn::RowsIn from{in.data(), kInputs};
          nn::multiply(matrix, {&from, 1}, rows, false, {out.data(), outputs},
                       {out.data(), outputs});
          double worst = 0.0;
          for (std::int64_t i = 0; i < rows * outputs; ++i) {
            double sum = before[i];
            double magnitudes = 0.0;
            for (std::int64_t k = 0; k < kInputs; ++k) {
              const double product = double{in[i / outputs * kInputs + k]} *
                                     weights[i % outputs * kInputs + k];
              sum += product;
              magnitudes += std::abs(product);
            }
            worst = std::max(worst, std::abs(out[i] - sum) / magnitudes);
          }
          CHECK(worst < kError);
        }
      }
    }
  }

  TEST_CASE("AMX is used where it is, and not below a limit") {
    if (cpu_level() < CpuLevel::kAmx) {
      MESSAGE("skipped: no AMX here");
      return;
    }
    {
      const CpuLevelLimit limit(CpuLevel::kAvx512Bf16);
      CHECK_FALSE(nn::has_amx());
    }
    CHECK(nn::has_amx());
  }

  TEST_CASE("every number of rows gives the rows of the product") {
    for (const CpuLevel level : bfloat16_levels()) {
      const CpuLevelLimit limit(level);
      for (const Precision precision : kPrecisions) {
        check_every_number(precision, noise(kOutputs, 2));
        check_every_number(precision, {});
      }
    }
  }

  TEST_CASE("a row is the same bits whatever the rows beside it") {
    for (const CpuLevel level : bfloat16_levels()) {
      const CpuLevelLimit limit(level);
      for (const Precision precision : kPrecisions) {
        check_rows_alone(nn::PanelMatrix(noise(128 * 1024, 4), noise(128, 5),
                                         {1024}, precision),
                         true);
        check_rows_alone(
            nn::PanelMatrix(noise(128 * 1024, 4), {}, {1024}, precision),
            false);
      }
    }
  }

  TEST_CASE("runs that overlap are summed and values added") {
    for (const CpuLevel level : bfloat16_levels()) {
      const CpuLevelLimit limit(level);
      for (const Precision precision : kPrecisions) {
        check_runs(precision, true);
        check_runs(precision, false);
      }
    }
  }

  TEST_CASE("a run that fills no tile keeps the matrix in float32") {
    for (const Precision precision : kPrecisions) {
      CHECK(nn::PanelMatrix(noise(32 * 9, 1), {}, {9}, precision).precision() ==
            Precision::kFloat32);
    }
  }
}

}  // namespace diarize::test
