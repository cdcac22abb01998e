#pragma once

#include "core/clustering/vector_list.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace diarize {

// Products of many vectors with each other in single precision: a filter for
// what is worth computing in double.

inline constexpr std::size_t kTileRows = 8;
inline constexpr std::size_t kTileColumns = 48;

// What a product of two vectors of length one may be off by in single
// precision: rounding both to 24 bits and adding up to 256 products.
inline constexpr double kTileError = 2e-5;

// Vectors in panels of kTileColumns, element by element: value i of vector v
// is at panel(v / kTileColumns)[i * kTileColumns + v % kTileColumns]. The last
// panel is filled up with zeros.
class PackedVectors {
 public:
  explicit PackedVectors(const VectorList& vectors);

  // Puts `scale` times a vector in the place of one.
  void set(std::size_t index, std::span<const double> vector, double scale);

  // Number of vectors with those that fill up the last panel.
  [[nodiscard]] std::size_t num_places() const {
    return num_panels_ * kTileColumns;
  }

  [[nodiscard]] std::size_t num_panels() const { return num_panels_; }
  [[nodiscard]] std::size_t dimension() const { return dimension_; }
  [[nodiscard]] const float* panel(std::size_t index) const {
    return values_.data() + index * kTileColumns * dimension_;
  }
  // The first value of a vector; the next is kTileColumns after it.
  [[nodiscard]] const float* vector(std::size_t index) const {
    return panel(index / kTileColumns) + index % kTileColumns;
  }

 private:
  std::size_t dimension_ = 0;
  std::size_t num_panels_ = 0;
  std::vector<float> values_;
};

// products[r * kTileColumns + c] = row r . column c, of kTileRows vectors that
// start at `rows` inside a panel and all vectors of the panel `columns`.
//
// Returns a bit for each row with a product above its own limit in
// `row_limits` (kTileRows) or above that of the column in `column_limits`
// (kTileColumns). Uses the widest instructions the processor has; its results
// may differ in the last bits between processors.
[[nodiscard]] std::uint32_t multiply_tile(
    const float* rows, const float* columns, std::size_t dimension,
    const float* row_limits, const float* column_limits, float* products);

}  // namespace diarize
