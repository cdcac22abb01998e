#pragma once

#include "core/array.h"
#include "core/clustering/vector_list.h"

#include <cstdint>
#include <vector>

namespace diarize::test {

// Average linkage in its plain form, with the matrix of distances: the globally
// nearest pair merges, of equal ones that of the lowest slot, then the lowest
// partner; the merged cluster takes the lower slot. Cost: O(n^3).
[[nodiscard]] std::vector<std::int32_t> plain_linkage(const VectorList& vectors,
                                                      double max_distance);

}  // namespace diarize::test
