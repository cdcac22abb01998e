#pragma once

#include "core/clustering/dendrogram.h"

#include <cstdint>
#include <vector>

namespace diarize {

// Cuts a dendrogram into flat clusters, as scipy 1.17
// `fcluster(tree, threshold, criterion="distance") - 1`.
//
// Let M(k) be the greatest distance among merge k and all merges below it
// (not distance k alone: centroid linkage has inversions). Every maximal
// subtree with M <= threshold is a cluster; all other points are alone.
//
// Clusters are numbered from 0 by a walk from the root: first the subtree of
// the smaller child number, then that of the larger, then the smaller and the
// larger child where these are points. The numbers decide the order of the
// speakers in the output.
//
// Returns the cluster of each of the tree.size() + 1 points; a single point
// (no merges) is cluster 0. Time and memory linear in the number of points;
// no recursion, since the tree may be as deep as it has points.
[[nodiscard]] std::vector<std::int32_t> cut_tree(const Dendrogram& tree,
                                                 double threshold);

}  // namespace diarize
