#pragma once

#include <cstdint>
#include <vector>

namespace diarize {

// One step of an agglomerative clustering of n points: two clusters become
// one. Clusters 0..n-1 are the points; the k-th merge makes cluster n + k.
struct Merge {
  std::int32_t first = 0;   // the smaller cluster number
  std::int32_t second = 0;  // the larger one
  std::int32_t size = 0;    // points in the new cluster
  double distance = 0.0;    // between the two

  friend bool operator==(const Merge&, const Merge&) = default;
};

// The n - 1 merges of n points in the order they were made, which is not that
// of their distances where a linkage has inversions. The rows of scipy's
// linkage matrix.
using Dendrogram = std::vector<Merge>;

}  // namespace diarize
