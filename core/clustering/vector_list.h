#pragma once

#include "core/array.h"

#include <span>
#include <vector>

namespace diarize {

// Vectors of one dimension whose values somebody else owns, so that picking
// some of a recording's vectors copies none of them.
using VectorList = std::vector<std::span<const double>>;

// All rows of an array, which must outlive the list.
[[nodiscard]] VectorList rows_of(const Array<double, 2>& values);

// Scales a vector to length one. Lengths below 1e-12 count as 1e-12, so a zero
// vector stays zero.
void normalize(std::span<double> vector);

}  // namespace diarize
