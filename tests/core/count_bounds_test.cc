#include "core/count_bounds.h"

#include <doctest/doctest.h>

#include <limits>
#include <stdexcept>

namespace diarize::test {

TEST_SUITE("count_bounds") {
  TEST_CASE("nothing asked for is one or more") {
    const CountBounds bounds = bounds_of({});
    CHECK(bounds.min == 1);
    CHECK(bounds.max == std::numeric_limits<int>::max());
    CHECK_FALSE(bounds.num.has_value());
  }

  TEST_CASE("a number is both bounds") {
    const CountBounds bounds = bounds_of({3, 1, 9});
    CHECK(bounds.min == 3);
    CHECK(bounds.max == 3);
    CHECK(bounds.num == 3);
  }

  TEST_CASE("equal bounds are a number") {
    CHECK(bounds_of({{}, 2, 2}).num == 2);
    CHECK(bounds_of({{}, {}, 1}).num == 1);
    CHECK_FALSE(bounds_of({{}, 2, 3}).num.has_value());
  }

  TEST_CASE("bounds that hold no number are refused") {
    CHECK_THROWS_AS(static_cast<void>(bounds_of({{}, 3, 2})), std::logic_error);
    CHECK_THROWS_AS(static_cast<void>(bounds_of({0, {}, {}})),
                    std::logic_error);
  }

  TEST_CASE("limits lower both bounds but not below one") {
    const CountBounds lower = limited(bounds_of({{}, 3, 5}), 4);
    CHECK(lower.min == 3);
    CHECK(lower.max == 4);
    CHECK_FALSE(lower.num.has_value());
    CHECK(limited(bounds_of({5, {}, {}}), 3).num == 3);
    CHECK(limited(bounds_of({}), 0).num == 1);
  }
}

}  // namespace diarize::test
