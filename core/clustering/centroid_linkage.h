#pragma once

#include "core/array.h"
#include "core/clustering/dendrogram.h"

namespace diarize {

// Agglomerative clustering by the distance of centroids: at every step the two
// clusters whose means are nearest (Euclidean) become one, as scipy 1.17
// `linkage(points, method="centroid", metric="euclidean")`.
//
// Idea. scipy keeps a matrix of all n(n-1)/2 distances and updates it by the
// formula of Lance and Williams. The distance of two centroids can as well be
// had from the centroids, so only those are kept. The order of the steps is
// that of the generic algorithm (D. Muellner, "Modern hierarchical,
// agglomerative clustering algorithms", arXiv:1109.2378, figure 3), which
// scipy's `fast_linkage` follows: each cluster x has a candidate
//
//   y(x)  nearest of the clusters in higher slots,   m(x) <= d(x, y(x))
//
// with m(x) in a binary heap. The least m is either exact, and x and y(x)
// merge, or it is renewed. A merge frees the slot of x and puts the new
// cluster into that of y. The heap moves its entries as scipy's does, so that
// equal distances (repeated points) are taken in the same order.
//
// Two additions make this affordable without the matrix:
//
//   o(x)  lower bound of d(x, z)^2 over all z in higher slots but y(x).
//         While d(x, y(x))^2 < o(x), y(x) still is the nearest and renewing
//         m(x) costs one distance instead of a search.
//   E     bound of the error of |x|^2 + |z|^2 - 2 x.z in float32. Searches
//         run over a float32 copy of the centroids; what lies within 2E of the
//         least is then measured in float64.
//
// All distances that are compared or returned are square roots of sums of
// squared differences of float64 centroids, added in one fixed order: the
// result does not depend on the processor or on the number of threads.
//
// points: (n, dimension), taken over as working memory. n of 0 or 1 gives no
// merge. Values must be finite, else std::logic_error is thrown.
// Memory: 12 bytes a value of `points` (its own 4 included) and about 100 a
// point: 96 MB for 30 000 of 256.
// Time: n^2 * dimension products in float32 and the searches that o(x) does not
// save, O(n^3 * dimension) at worst, near O(n^2 * dimension) in practice; on
// all cores.
//
// Where it departs from scipy: distances differ by rounding (1e-13), since
// those of Lance and Williams gather errors. Where distances that should be
// equal differ by rounding in scipy itself (points on a lattice), the order
// among them may be another.
[[nodiscard]] Dendrogram centroid_linkage(Array<float, 2> points);

}  // namespace diarize
