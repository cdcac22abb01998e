#include "core/dot_products.h"

#include "core/cpu_level.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>
#include <random>
#include <vector>

namespace diarize {
namespace {

std::vector<double> random_vector(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> vector(size);
  for (double& value : vector) value = normal(random);
  return vector;
}

TEST_SUITE("dot_products") {
  TEST_CASE("a product equals the sum of products at any length") {
    constexpr double kRounding = 1e-12;
    for (const std::size_t size : {0, 1, 3, 7, 8, 9, 64, 191, 192, 256}) {
      const auto a = random_vector(size, 1);
      const auto b = random_vector(size, 2);
      const double expected =
          std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
      CHECK(std::abs(dot(a, b) - expected) < kRounding);
    }
  }

  TEST_CASE("a product is the same bits on every processor") {
    for (const std::size_t size : {1, 7, 192, 250}) {
      const auto a = random_vector(size, 5);
      const auto b = random_vector(size, 6);
      const double best = dot(a, b);
      for (const CpuLevel level : {CpuLevel::kBaseline, CpuLevel::kAvx2}) {
        const CpuLevelLimit limit(level);
        CHECK(dot(a, b) == best);
      }
    }
  }

  TEST_CASE("the order of the two vectors does not matter") {
    for (unsigned seed = 0; seed < 20; ++seed) {
      const auto a = random_vector(192, seed);
      const auto b = random_vector(192, seed + 100);
      CHECK(dot(a, b) == dot(b, a));
    }
  }

  TEST_CASE("vectors of different lengths are refused") {
    const std::vector<double> a(3);
    const std::vector<double> b(4);
    CHECK_THROWS_AS((void)dot(a, b), std::logic_error);
  }

  TEST_CASE("the first of equally near rows is the nearest") {
    const Array<double, 2> rows({3, 2}, {0.0, 1.0, 1.0, 0.0, 1.0, 0.0});
    const std::vector<double> x = {2.0, 1.0};
    const Nearest nearest = nearest_row(x, rows);
    CHECK(nearest.row == 1);
    CHECK(nearest.product == 2.0);
    std::vector<double> products(3);
    dot_rows(x, rows, products);
    CHECK(products == std::vector<double>{1.0, 2.0, 2.0});
  }
}

}  // namespace
}  // namespace diarize
