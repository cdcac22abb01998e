#pragma once

#include "core/clustering/vector_list.h"

#include <cstdint>
#include <vector>

namespace diarize {

// Average linkage (UPGMA) of unit vectors by cosine distance, cut at a
// distance.
//
// The nearest two clusters are merged until none are nearer than
// `max_distance`; of equally near pairs the one with the lowest member first.
// The distance of two clusters is the mean of 1 - x.y over their members, that
// is 1 - Sa.Sb / (na nb) with the sums S and sizes n of the clusters, so no
// matrix of distances is needed. Average linkage is reducible: a merge brings
// no two clusters nearer than their parts were. A chain of nearest neighbours
// therefore finds the same clusters (Murtagh 1983, "A survey of recent advances
// in hierarchical clustering algorithms"), and what has no neighbour within
// `max_distance` never will.
//
// Returns the cluster of each vector, numbered by first member.
// Cost: O(n^2 dimension) time, O(n dimension) memory.
[[nodiscard]] std::vector<std::int32_t> average_linkage(
    const VectorList& vectors, double max_distance);

}  // namespace diarize
