#include "core/clustering/float_products.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <random>
#include <vector>

namespace diarize::test {
namespace {

std::vector<float> random_values(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(n);
  for (float& value : values) value = normal(random);
  return values;
}

struct Product {
  double value = 0.0;
  double norms = 0.0;  // of both, multiplied
};

Product exact_product(const float* a, const float* b, std::size_t n) {
  Product product;
  double norm_a = 0.0;
  double norm_b = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    product.value += static_cast<double>(a[i]) * b[i];
    norm_a += static_cast<double>(a[i]) * a[i];
    norm_b += static_cast<double>(b[i]) * b[i];
  }
  product.norms = std::sqrt(norm_a * norm_b);
  return product;
}

}  // namespace

TEST_SUITE("float_products") {
  TEST_CASE("every supported kernel is within the error it promises") {
    for (const FloatProducts& products : all_float_products()) {
      if (!products.supported) {
        MESSAGE("skipped: this processor has no " << products.name);
        continue;
      }
      CAPTURE(products.name);
      for (const std::size_t stride : {16, 48, 256}) {
        for (const std::size_t num_rows : {1, 2, 3, 4, 5, 7, 64}) {
          const auto rows = random_values(num_rows * stride, 1);
          const auto queries = random_values(4 * stride, 2);
          std::vector<float> one(num_rows);
          products.one(queries.data(), rows.data(), num_rows, stride,
                       one.data());
          std::array<std::vector<float>, 4> four;
          std::array<const float*, 4> query_rows{};
          std::array<float*, 4> outs{};
          for (std::size_t q = 0; q < 4; ++q) {
            four[q].resize(num_rows);
            query_rows[q] = queries.data() + q * stride;
            outs[q] = four[q].data();
          }
          products.four(query_rows.data(), rows.data(), num_rows, stride,
                        outs.data());
          for (std::size_t row = 0; row < num_rows; ++row) {
            for (std::size_t q = 0; q < 4; ++q) {
              const Product exact = exact_product(
                  query_rows[q], rows.data() + row * stride, stride);
              const double most = product_error(stride) * exact.norms;
              CHECK(std::abs(four[q][row] - exact.value) <= most);
              if (q == 0) CHECK(std::abs(one[row] - exact.value) <= most);
            }
          }
        }
      }
    }
  }

  TEST_CASE("the best kernel is supported") {
    CHECK(best_float_products().supported);
  }
}

}  // namespace diarize::test
