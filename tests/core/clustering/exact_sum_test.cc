#include "core/clustering/exact_sum.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

namespace diarize {
namespace {

TEST_SUITE("exact_sum") {
  TEST_CASE("the direction is that of the weighted sum") {
    constexpr double kUnit = 1e-11;
    ExactSum sum(2);
    sum.add(std::vector<double>{1.0, 0.0}, 3.0);
    sum.add(std::vector<double>{0.0, 1.0}, 4.0);
    const std::vector<double> direction = sum.direction();
    CHECK(std::abs(direction[0] - 0.6) < kUnit);
    CHECK(std::abs(direction[1] - 0.8) < kUnit);
  }

  TEST_CASE("the order of terms and terms taken away leave no trace") {
    std::vector<std::vector<double>> vectors;
    for (int i = 0; i < 50; ++i) {
      vectors.push_back({std::sin(i), std::cos(i), 1.0 / (i + 3)});
    }
    ExactSum forward(3);
    ExactSum backward(3);
    for (int i = 0; i < 50; ++i) {
      forward.add(vectors[i], 0.1 * i);
      backward.add(vectors[49 - i], 0.1 * (49 - i));
    }
    CHECK(forward.direction() == backward.direction());
    const std::vector<double> before = forward.direction();
    forward.add(vectors[7], 1.23);
    CHECK(forward.direction() != before);
    forward.subtract(vectors[7], 1.23);
    CHECK(forward.direction() == before);
  }

  TEST_CASE("large weights and small values are rounded as little") {
    constexpr double kUnit = 1e-11;
    for (const double value : {1.0, -1.0, 1.0 / 3.0, -1e-3, 1e-12}) {
      for (const double weight : {0.01, 1.0, 2047.0}) {
        ExactSum sum(2);
        sum.add(std::vector<double>{weight * value, 1.0}, 1.0);
        sum.add(std::vector<double>{value, 0.0}, weight);
        const std::vector<double> direction = sum.direction();
        const double expected = 2.0 * weight * value;
        const double length = std::hypot(expected, 1.0);
        CHECK(std::abs(direction[0] - expected / length) < kUnit);
        CHECK(std::abs(direction[1] - 1.0 / length) < kUnit);
      }
    }
  }

  TEST_CASE("halves of a unit go to the even one") {
    const double unit = std::ldexp(1.0, -40);
    ExactSum sum(3);
    sum.add(std::vector<double>{1.5 * unit, 2.5 * unit, 0.5 * unit}, 1.0);
    const std::vector<double> direction = sum.direction();
    CHECK(direction[0] == direction[1]);
    CHECK(direction[0] > 0.0);
    CHECK(direction[2] == 0.0);
  }

  TEST_CASE("an empty sum points nowhere") {
    CHECK(ExactSum(2).direction() == std::vector<double>{0.0, 0.0});
  }
}

}  // namespace
}  // namespace diarize
