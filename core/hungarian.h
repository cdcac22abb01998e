#pragma once

#include "core/array.h"

#include <cstdint>
#include <vector>

namespace diarize {

// A row without a column, where there are more rows than columns.
inline constexpr std::int32_t kUnassigned = -1;

// The one-to-one assignment of rows to columns with the largest sum of gains.
//
// gains: (num_rows, num_columns), any shape, finite, of any sign.
// Returns (num_rows) columns, or kUnassigned; min(num_rows, num_columns) rows
// have one, even where that costs.
//
// Shortest augmenting paths in place of the Hungarian method's line covers:
// rows are taken in one after the other, each along the cheapest path of
// reassignments to a free column under dual variables that keep reduced costs
// at least 0 (Crouse 2016, "On implementing 2D rectangular assignment
// algorithms"). The order in which columns are looked at, and so which of
// several best assignments is found, is that of scipy 1.17,
// linear_sum_assignment.
// Cost: min^2 * max of the two sizes. Throws std::logic_error if a gain is not
// finite.
[[nodiscard]] std::vector<std::int32_t> best_assignment(
    const Array<double, 2>& gains);

}  // namespace diarize
