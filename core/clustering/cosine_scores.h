#pragma once

#include "core/array.h"

#include <cstdint>
#include <span>
#include <vector>

namespace diarize {

// How well vectors fit to centroids: 1 + cosine, 0..2, which is 2 minus
// scipy's cosine distance. In float64; cosines that rounding takes out of
// [-1, 1] are put back. Immutable, so threads may share it.
class CosineScores {
 public:
  // centroids: (num_clusters, dimension).
  explicit CosineScores(Array<double, 2> centroids);

  // (num_clusters) scores of one vector. Cost: num_clusters * dimension.
  [[nodiscard]] std::vector<double> scores(std::span<const float> vector) const;
  [[nodiscard]] std::vector<double> scores(
      std::span<const double> vector) const;

  // The cluster with the greatest score, of equals the first.
  [[nodiscard]] std::int32_t best(std::span<const float> vector) const;
  [[nodiscard]] std::int32_t best(std::span<const double> vector) const;

 private:
  Array<double, 2> centroids_;
  std::vector<double> norms_;
};

}  // namespace diarize
