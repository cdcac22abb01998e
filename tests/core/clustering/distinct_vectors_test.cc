#include "core/clustering/distinct_vectors.h"

#include <doctest/doctest.h>

#include <vector>

namespace diarize {
namespace {

using Places = std::vector<std::int32_t>;

TEST_SUITE("distinct_vectors") {
  TEST_CASE("equal unit vectors stand in the place of the first") {
    const Array<double, 2> vectors(
        {5, 2}, {0.6, 0.8, 1.0, 0.0, 0.6, 0.8, 0.8, 0.6, 0.6, 0.8});
    const DistinctVectors distinct = find_distinct(rows_of(vectors), 0.5);
    REQUIRE(distinct.vectors.size() == 3);
    CHECK(distinct.vectors[0].data() == vectors.row(0).data());
    CHECK(distinct.vectors[2].data() == vectors.row(3).data());
    CHECK(distinct.counts == std::vector<double>{3.0, 1.0, 1.0});
    CHECK(distinct.places == Places{0, 1, 0, 2, 0});
  }

  TEST_CASE("equal vectors of another length stay apart") {
    const Array<double, 2> vectors({4, 2},
                                   {0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 2.0, 0.0});
    CHECK(find_distinct(rows_of(vectors), 0.5).places == Places{0, 1, 2, 3});
  }

  TEST_CASE("nothing is taken together that the threshold keeps apart") {
    const Array<double, 2> vectors({2, 2}, {1.0, 0.0, 1.0, 0.0});
    CHECK(find_distinct(rows_of(vectors), 0.0).places == Places{0, 0});
    CHECK(find_distinct(rows_of(vectors), -0.1).places == Places{0, 1});
    CHECK(find_distinct({}, 0.5).vectors.empty());
  }
}

}  // namespace
}  // namespace diarize
