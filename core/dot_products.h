#pragma once

#include "core/array.h"

#include <cstddef>
#include <span>

namespace diarize {

// Products of vectors in double precision, with the widest instructions the
// processor has.
//
// The value of a product depends on the two vectors alone, not on the
// processor, on what else is computed or on the order of the two: element i
// goes by fused multiply-add to partial sum i mod 8, and the eight are added in
// one fixed order.

// The product of two vectors of one length.
[[nodiscard]] double dot(std::span<const double> a, std::span<const double> b);

// products[i] = x . rows[i]; rows: (num_rows, dimension).
void dot_rows(std::span<const double> x, const Array<double, 2>& rows,
              std::span<double> products);

// Which row gives the largest product with a vector, of equals the first.
struct Nearest {
  std::size_t row = 0;
  double product = 0.0;
};

// The nearest of at least one row. Cost: num_rows * dimension.
[[nodiscard]] Nearest nearest_row(std::span<const double> x,
                                  const Array<double, 2>& rows);

}  // namespace diarize
