#pragma once

#include "core/clustering/vector_list.h"

#include <cstdint>
#include <vector>

namespace diarize {

// Vectors of which no two are equal.
struct DistinctVectors {
  VectorList vectors;                // in the order of their first place
  std::vector<double> counts;        // how many equal ones each stands for
  std::vector<std::int32_t> places;  // of each vector given, in `vectors`
};

// Takes together what a linkage up to `max_distance` (1 - x.y) would merge
// before all else: vectors equal bit by bit and of length one, which are nearer
// to each other than to any other. Recordings that repeat themselves have many,
// and a search for the nearest of one finds nothing but its equals.
// Equal vectors of another length stay apart, as do all if `max_distance` is
// below zero.
[[nodiscard]] DistinctVectors find_distinct(const VectorList& vectors,
                                            double max_distance);

}  // namespace diarize
