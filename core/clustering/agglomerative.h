#pragma once

#include "core/array.h"
#include "core/clustering/dendrogram.h"
#include "core/count_bounds.h"

#include <cstdint>
#include <vector>

namespace diarize {

// Defaults of pyannote/speaker-diarization-3.1.
struct AgglomerativeOptions {
  double threshold = 0.7045654963945799;  // distance of unit vectors, 0..2
  int min_cluster_size = 12;
};

// Flat clusters of unit vectors by centroid linkage, none of them small
// (pyannote.audio 4.0, AgglomerativeClustering.cluster).
//
// A cluster is large if it has at least min(min_cluster_size, n / 10 rounded
// half to even, but 1) members. The tree is cut at the threshold; if the
// number of large clusters is not within `bounds`, or not the number asked
// for, it is cut after another merge instead. Those are tried by how near
// their distance is to the threshold, leaving out merges into clusters that
// are not large; the first that gives the number wins, else the first of those
// that come nearest to it. Then every small cluster joins the large one whose
// mean is nearest in cosine; without a large one all is one cluster.
//
// Departure: the reference cuts the whole tree for every merge it tries; here
// the number of large clusters after each merge is counted once, going up.
//
// points: (n, dimension) of norm 1, n > 0. bounds: within 1..n.
// Returns cluster numbers from 0, in the order of cut_tree.
// Cost: that of centroid_linkage, and n log n.
[[nodiscard]] std::vector<std::int32_t> agglomerative(
    const Array<float, 2>& points, const CountBounds& bounds,
    const AgglomerativeOptions& options);

}  // namespace diarize
