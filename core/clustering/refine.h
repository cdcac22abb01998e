#pragma once

#include "core/array.h"
#include "core/clustering/rivals.h"
#include "core/clustering/vector_list.h"

#include <limits>
#include <vector>

namespace diarize {

// Vectors of length one with the seconds of speech that each stands for, below
// 2^11.
struct WeightedVectors {
  VectorList vectors;
  std::vector<double> seconds;
};

struct RefineOptions {
  // Corrected cosine above which two centroids are one speaker. Flat from 0.55
  // to 0.65 on the recordings the recipe was made with.
  double merge_threshold = 0.6;
  // Speakers at which merging and dropping stops.
  int fewest = 1;
  // Speakers above which the most similar are merged whatever their cosine.
  int most = std::numeric_limits<int>::max();
};

// How much of a centroid of `seconds` of speech is the speaker, the rest being
// noise: s / (s + 2).
[[nodiscard]] double centroid_quality(double seconds);

// Turns the clusters of a linkage into speakers.
//
// Rounds of assigning every piece to its nearest centroid and taking the
// centroids anew alternate with one change of the centroids at a time:
//   - the pair furthest above its threshold becomes one. The cosine of two
//     centroids is divided by sqrt(q_i q_j), q = centroid_quality, since noise
//     makes it too low. The threshold rises from merge_threshold by up to 0.25
//     with the share that the two spend as rivals;
//   - else the one with the least speech is dropped if that is less than 0.75 %
//     of all speech (at least 1.5 s and at most 6 s);
//   - else, above `most`, the pair is merged with which least is given up:
//     little speech or little difference.
//
// Each step looks only at what the step before may have changed: pieces whose
// nearest centroid may be another, centroids whose pieces changed, and pairs
// with one of these. Sums over pieces are of integers, so that adding and
// taking away pieces is exact, in any order.
// Cost: a product of every piece with every centroid, ten times; then one with
// each centroid that moves. Memory: linear in the pieces.
// centroids: (num_clusters, dimension) of length one, at least one.
// Returns (num_speakers, dimension). Throws std::logic_error if a piece is too
// long.
[[nodiscard]] Array<double, 2> refine_centroids(
    const Array<double, 2>& centroids, const WeightedVectors& pieces,
    const Rivals& rivals, const RefineOptions& options);

}  // namespace diarize
