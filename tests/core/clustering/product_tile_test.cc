#include "core/clustering/product_tile.h"

#include "core/dot_products.h"
#include "tests/core/clustering/voices.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>

namespace diarize {
namespace {

using Products = std::array<float, kTileRows * kTileColumns>;

constexpr float kNoLimit = std::numeric_limits<float>::infinity();

TEST_SUITE("product_tile") {
  TEST_CASE("products are right within the error they are given") {
    for (const std::size_t dimension : {1, 32, 192, 256}) {
      test::VoiceOptions options;
      options.num_vectors = 100;
      options.dimension = dimension;
      const test::Voices voices = test::make_voices(options);
      const PackedVectors packed(rows_of(voices.vectors));
      REQUIRE(packed.num_panels() == 3);
      std::array<float, kTileColumns> limits;
      limits.fill(kNoLimit);
      Products products;
      const std::uint32_t rows =
          multiply_tile(packed.vector(56), packed.panel(1), dimension,
                        limits.data(), limits.data(), products.data());
      CHECK(rows == 0);
      double largest = 0.0;
      for (std::size_t row = 0; row < kTileRows; ++row) {
        for (std::size_t column = 0; column < kTileColumns; ++column) {
          const double exact = dot(voices.vectors.row(56 + row),
                                   voices.vectors.row(48 + column));
          largest = std::max(
              largest, std::abs(exact - products[row * kTileColumns + column]));
        }
      }
      CHECK(largest < kTileError);
    }
  }

  TEST_CASE("rows are named that pass their own limit or that of a column") {
    Array<double, 2> vectors({kTileColumns, 2}, 0.0);
    vectors(3, 0) = 1.0;
    vectors(20, 0) = 0.75;
    const PackedVectors packed(rows_of(vectors));
    std::array<float, kTileRows> row_limits;
    std::array<float, kTileColumns> column_limits;
    row_limits.fill(kNoLimit);
    column_limits.fill(kNoLimit);
    Products products;
    const auto rows_above = [&] {
      return multiply_tile(packed.panel(0), packed.panel(0), 2,
                           row_limits.data(), column_limits.data(),
                           products.data());
    };
    row_limits[3] = 0.9F;
    CHECK(rows_above() == 1U << 3);
    row_limits[3] = 1.0F;
    CHECK(rows_above() == 0);
    column_limits[20] = 0.7F;
    CHECK(rows_above() == 1U << 3);
  }

  TEST_CASE("a vector can be replaced and places that are left are zero") {
    const Array<double, 2> vectors({2, 2}, {1.0, 2.0, 3.0, 4.0});
    PackedVectors packed(rows_of(vectors));
    packed.set(1, vectors.row(0), 0.5);
    CHECK(packed.num_places() == kTileColumns);
    CHECK(packed.vector(1)[0] == 0.5F);
    CHECK(packed.vector(1)[kTileColumns] == 1.0F);
    CHECK(packed.vector(0)[kTileColumns] == 2.0F);
    CHECK(packed.vector(2)[0] == 0.0F);
  }

  TEST_CASE("no vectors make no panels") {
    CHECK(PackedVectors(VectorList{}).num_panels() == 0);
  }
}

}  // namespace
}  // namespace diarize
