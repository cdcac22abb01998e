#pragma once

#include "core/array.h"

#include <cstdint>
#include <vector>

namespace diarize {

// Defaults as pyannote.audio 4.0 calls scikit-learn's KMeans.
struct KMeansOptions {
  int num_runs = 3;                  // n_init
  std::uint32_t seed = 42;           // random_state
  int max_iterations = 300;          // of a run
  double relative_tolerance = 1e-4;  // tol: of the mean variance of a column
};

// Clusters points into a given number of groups so that the sum of squared
// distances to the means, the inertia, is small: Lloyd's iteration from seeds
// drawn by k-means++ (D. Arthur and S. Vassilvitskii, "k-means++: the
// advantages of careful seeding", SODA 2007), the best of several runs. Draws,
// ties and stops are those of scikit-learn 1.9 (KMeans, algorithm "lloyd"),
// since the result hangs on them:
//
// - Random numbers are numpy's RandomState(seed).random_sample, one stream
//   through all runs. The first seed is drawn evenly; every further one is the
//   best of 2 + ln k candidates drawn in proportion to the squared distance to
//   the nearest seed, in float32 and with float32 running sums.
// - Points go to the first of equally near centres. A run ends when no label
//   changed, or when the centres moved by no more than the tolerance, after
//   which points are assigned once more.
// - A centre that lost all points moves to the point farthest from its own
//   centre, which leaves that one; several take the farthest points in turn.
//   If every point sits on its centre they stay where the largest cluster is.
// - A later run replaces the best so far if its inertia is smaller and it is
//   not the same clustering under other labels.
//
// Departures: distances and means are added in float64 in one fixed order (the
// original's float32 sums depend on its number of threads), which can only
// decide between points or seeds that are equal to seven digits. Which of
// several emptied centres takes which far point is not defined in the
// original; here the lowest takes the farthest.
//
// points: (n, dimension), taken over as working memory. num_clusters: 1..n.
// Returns the cluster of each point; duplicates may leave a cluster empty.
// Time: n * num_clusters * dimension an iteration and, with a candidate each,
// a seed. Memory: 4 bytes a value and 30 a point.
[[nodiscard]] std::vector<std::int32_t> kmeans(Array<float, 2> points,
                                               int num_clusters,
                                               const KMeansOptions& options);

}  // namespace diarize
