#include "core/clustering/neighbours.h"

#include "core/dot_products.h"
#include "tests/core/clustering/voices.h"

#include <doctest/doctest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <vector>

namespace diarize {
namespace {

// Whether the list and its bound hold for the products of a vector with
// others; `own` is left out.
bool holds(const Neighbours& found, std::span<const double> vector,
           const Array<double, 2>& others, std::size_t own) {
  for (std::size_t other = 0; other < others.size(0); ++other) {
    const bool listed =
        std::ranges::count(found.indices, static_cast<std::int32_t>(other)) ==
        1;
    if (other == own && listed) return false;
    if (other == own || listed) continue;
    if (dot(vector, others.row(other)) > found.bound) return false;
  }
  return true;
}

bool are_equal(const std::vector<Neighbours>& a,
               const std::vector<Neighbours>& b) {
  return std::ranges::equal(a, b, [](const auto& first, const auto& second) {
    return first.indices == second.indices && first.bound == second.bound;
  });
}

TEST_SUITE("neighbours") {
  TEST_CASE("nothing outside a list is nearer than its bound") {
    const test::Voices voices = test::make_voices({.num_vectors = 500});
    const auto found =
        find_neighbours(PackedVectors(rows_of(voices.vectors)), 500, 16, 0.3);
    REQUIRE(found.size() == 500);
    for (std::size_t i = 0; i < 500; ++i) {
      CHECK(found[i].indices.size() == 16);
      CHECK(holds(found[i], voices.vectors.row(i), voices.vectors, i));
    }
  }

  TEST_CASE("many vectors find the same neighbours on one thread and on more") {
    const test::Voices voices =
        test::make_voices({.num_vectors = 13000, .dimension = 8});
    const PackedVectors vectors(rows_of(voices.vectors));
    const auto find = [&] { return find_neighbours(vectors, 13000, 16, 0.3); };
    const auto find_of = [&] {
      return find_neighbours_of(vectors, 1500, vectors, 13000, 16, 0.3);
    };
    const std::vector<Neighbours> found = find();
    const std::vector<Neighbours> found_of = find_of();
    for (std::size_t i = 0; i < 13000; i += 197) {
      CHECK(found[i].indices.size() == 16);
      CHECK(holds(found[i], voices.vectors.row(i), voices.vectors, i));
    }
    REQUIRE(found_of.size() == 1500);
    for (std::size_t i = 0; i < 1500; i += 97) {
      CHECK(holds(found_of[i], voices.vectors.row(i), voices.vectors, 13000));
    }
    const tbb::global_control one_thread(
        tbb::global_control::max_allowed_parallelism, 1);
    CHECK(are_equal(find(), found));
    CHECK(are_equal(find_of(), found_of));
  }

  TEST_CASE("what is far is not listed and the bound is below the least") {
    const Array<double, 2> vectors({3, 2}, {1.0, 0.0, 0.8, 0.6, 0.0, 1.0});
    const auto found =
        find_neighbours(PackedVectors(rows_of(vectors)), 3, 16, 0.7);
    CHECK(found[0].indices == std::vector<std::int32_t>{1});
    CHECK(found[2].indices.empty());
    CHECK(found[0].bound < 0.7);
    CHECK(found[0].bound > 0.69);
  }

  TEST_CASE("what fills up the last panel is nobody's neighbour") {
    const Array<double, 2> vectors({3, 2}, {1.0, 0.0, -0.6, 0.8, 0.0, -1.0});
    const PackedVectors packed(rows_of(vectors));
    for (const auto& found : find_neighbours(packed, 3, 16, -2.0)) {
      CHECK(found.indices.size() == 2);
    }
    for (const auto& found :
         find_neighbours_of(packed, 3, packed, 3, 16, -2.0)) {
      CHECK(found.indices.size() == 3);
    }
  }

  TEST_CASE("vectors from elsewhere find their neighbours") {
    const test::Voices voices = test::make_voices({.num_vectors = 130});
    const test::Voices others =
        test::make_voices({.num_vectors = 20, .seed = 2});
    const auto found = find_neighbours_of(
        PackedVectors(rows_of(others.vectors)), 20,
        PackedVectors(rows_of(voices.vectors)), 130, 8, -1.0);
    REQUIRE(found.size() == 20);
    for (std::size_t i = 0; i < 20; ++i) {
      CHECK(found[i].indices.size() == 8);
      CHECK(holds(found[i], others.vectors.row(i), voices.vectors, 130));
    }
  }
}

}  // namespace
}  // namespace diarize
