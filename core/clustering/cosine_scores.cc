#include "core/clustering/cosine_scores.h"

#include "core/dot_products.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace diarize {

CosineScores::CosineScores(Array<double, 2> centroids)
    : centroids_(std::move(centroids)) {
  for (std::size_t k = 0; k < centroids_.size(0); ++k) {
    const std::span<const double> row = std::as_const(centroids_).row(k);
    norms_.push_back(std::sqrt(dot(row, row)));
  }
}

std::vector<double> CosineScores::scores(std::span<const double> vector) const {
  std::vector<double> result(norms_.size());
  dot_rows(vector, centroids_, result);
  const double norm = std::sqrt(dot(vector, vector));
  for (std::size_t k = 0; k < result.size(); ++k) {
    result[k] = 1.0 + std::clamp(result[k] / (norm * norms_[k]), -1.0, 1.0);
  }
  return result;
}

std::vector<double> CosineScores::scores(std::span<const float> vector) const {
  const std::vector<double> wide(vector.begin(), vector.end());
  return scores(std::span<const double>(wide));
}

std::int32_t CosineScores::best(std::span<const double> vector) const {
  const std::vector<double> all = scores(vector);
  return static_cast<std::int32_t>(std::ranges::max_element(all) - all.begin());
}

std::int32_t CosineScores::best(std::span<const float> vector) const {
  const std::vector<double> wide(vector.begin(), vector.end());
  return best(std::span<const double>(wide));
}

}  // namespace diarize
