#include "tests/core/clustering/plain_refine.h"

#include "core/dot_products.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

namespace diarize::test {
namespace {

constexpr int kMaxRounds = 10;
constexpr double kConverged = 1e-9;
constexpr double kRivalRise = 0.25;  // of the threshold between rivals
constexpr double kRivalShare = 0.3;  // at which it has risen in full
constexpr double kLeastShare = 0.0075;
constexpr double kLeastSpeech = 1.5;  // s
constexpr double kMostSpeech = 6.0;   // s

constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Pair = std::pair<std::size_t, std::size_t>;

std::vector<std::size_t> assign(const VectorList& vectors,
                                const Array<double, 2>& centroids) {
  std::vector<std::size_t> labels;
  labels.reserve(vectors.size());
  for (const auto& vector : vectors) {
    labels.push_back(nearest_row(vector, centroids).row);
  }
  return labels;
}

// The unit sum of the pieces of each centroid that has any.
Array<double, 2> recentre(const WeightedVectors& pieces,
                          const std::vector<std::size_t>& labels,
                          std::size_t num_clusters, std::size_t dimension) {
  Array<double, 2> sums({num_clusters, dimension}, 0.0);
  std::vector<bool> used(num_clusters, false);
  for (std::size_t piece = 0; piece < labels.size(); ++piece) {
    const std::span<double> sum = sums.row(labels[piece]);
    used[labels[piece]] = true;
    for (std::size_t i = 0; i < dimension; ++i) {
      sum[i] += pieces.seconds[piece] * pieces.vectors[piece][i];
    }
  }
  std::vector<double> values;
  for (std::size_t cluster = 0; cluster < num_clusters; ++cluster) {
    if (!used[cluster]) continue;
    normalize(sums.row(cluster));
    values.insert(values.end(), sums.row(cluster).begin(),
                  sums.row(cluster).end());
  }
  return {{values.size() / dimension, dimension}, std::move(values)};
}

bool nearly_equal(const Array<double, 2>& a, const Array<double, 2>& b) {
  return a.shape() == b.shape() &&
         std::ranges::equal(a.values(), b.values(), [](double x, double y) {
           return std::abs(x - y) < kConverged;
         });
}

Array<double, 2> settle(Array<double, 2> centroids,
                        const WeightedVectors& pieces) {
  for (int round = 0; round < kMaxRounds; ++round) {
    Array<double, 2> moved = recentre(pieces, assign(pieces.vectors, centroids),
                                      centroids.size(0), centroids.size(1));
    const bool same = nearly_equal(moved, centroids);
    centroids = std::move(moved);
    if (same) break;
  }
  return centroids;
}

std::vector<double> speech_of(const WeightedVectors& pieces,
                              const Array<double, 2>& centroids) {
  std::vector<double> speech(centroids.size(0), 0.0);
  const auto labels = assign(pieces.vectors, centroids);
  for (std::size_t piece = 0; piece < labels.size(); ++piece) {
    speech[labels[piece]] += pieces.seconds[piece];
  }
  return speech;
}

// The seconds that each two clusters spend as rivals, over the speech of the
// one that has less.
Array<double, 2> rivalry(const Rivals& rivals,
                         const Array<double, 2>& centroids,
                         std::span<const double> speech) {
  constexpr double kLeastRivalSpeech = 1e-9;
  const std::size_t num_clusters = centroids.size(0);
  Array<double, 2> result({num_clusters, num_clusters}, 0.0);
  for (std::size_t pair = 0; pair < rivals.seconds.size(); ++pair) {
    const std::size_t a = nearest_row(rivals.first[pair], centroids).row;
    const std::size_t b = nearest_row(rivals.second[pair], centroids).row;
    result(a, b) += rivals.seconds[pair];
    result(b, a) += rivals.seconds[pair];
  }
  for (std::size_t a = 0; a < num_clusters; ++a) {
    for (std::size_t b = 0; b < num_clusters; ++b) {
      result(a, b) /=
          std::max(std::min(speech[a], speech[b]), kLeastRivalSpeech);
    }
  }
  return result;
}

// Cosines of the centroids, corrected for their noise.
Array<double, 2> similarities(const Array<double, 2>& centroids,
                              std::span<const double> speech) {
  constexpr double kLeastQuality = 1e-3;
  const std::size_t num = centroids.size(0);
  std::vector<double> root_quality;
  for (const double seconds : speech) {
    root_quality.push_back(std::sqrt(centroid_quality(seconds)));
  }
  Array<double, 2> result({num, num});
  for (std::size_t i = 0; i < num; ++i) {
    dot_rows(centroids.row(i), centroids, result.row(i));
    for (std::size_t j = 0; j < num; ++j) {
      result(i, j) /=
          std::max(root_quality[i] * root_quality[j], kLeastQuality);
    }
  }
  return result;
}

// The pair furthest above its threshold, and by how much.
std::pair<Pair, double> most_alike(const Array<double, 2>& similar,
                                   const Array<double, 2>& rival,
                                   double merge_threshold) {
  Pair best{0, 0};
  double most = -kInfinity;
  for (std::size_t i = 0; i < similar.size(0); ++i) {
    for (std::size_t j = 0; j < similar.size(0); ++j) {
      const double threshold =
          merge_threshold +
          kRivalRise * std::min(1.0, rival(i, j) / kRivalShare);
      const double excess = similar(i, j) - threshold;
      if (i != j && excess > most) {
        most = excess;
        best = {i, j};
      }
    }
  }
  return {best, most};
}

// The pair with which least is given up.
Pair cheapest_pair(const Array<double, 2>& similar,
                   std::span<const double> speech) {
  Pair best{0, 0};
  double least = kInfinity;
  for (std::size_t i = 0; i < similar.size(0); ++i) {
    for (std::size_t j = 0; j < similar.size(0); ++j) {
      const double cost =
          std::min(speech[i], speech[j]) * (1.0 - std::min(similar(i, j), 1.0));
      if (i != j && cost < least) {
        least = cost;
        best = {i, j};
      }
    }
  }
  return best;
}

// The rows other than i and j, then `last` if it is not empty.
Array<double, 2> without(const Array<double, 2>& rows, std::size_t i,
                         std::size_t j, std::span<const double> last) {
  std::vector<double> values;
  for (std::size_t row = 0; row < rows.size(0); ++row) {
    if (row == i || row == j) continue;
    values.insert(values.end(), rows.row(row).begin(), rows.row(row).end());
  }
  values.insert(values.end(), last.begin(), last.end());
  return {{values.size() / rows.size(1), rows.size(1)}, std::move(values)};
}

Array<double, 2> merge(const Array<double, 2>& centroids, const Pair& pair,
                       std::span<const double> speech) {
  const auto [i, j] = pair;
  std::vector<double> merged(centroids.size(1));
  for (std::size_t k = 0; k < merged.size(); ++k) {
    merged[k] = speech[i] * centroids(i, k) + speech[j] * centroids(j, k);
  }
  normalize(merged);
  return without(centroids, i, j, merged);
}

}  // namespace

Array<double, 2> plain_refine(const Array<double, 2>& start,
                              const WeightedVectors& pieces,
                              const Rivals& rivals,
                              const RefineOptions& options) {
  const double all_speech =
      std::accumulate(pieces.seconds.begin(), pieces.seconds.end(), 0.0);
  const double least_speech =
      std::clamp(kLeastShare * all_speech, kLeastSpeech, kMostSpeech);
  Array<double, 2> centroids = start;
  while (true) {
    centroids = settle(std::move(centroids), pieces);
    const auto num = static_cast<int>(centroids.size(0));
    if (num <= options.fewest) return centroids;
    const std::vector<double> speech = speech_of(pieces, centroids);
    const Array<double, 2> similar = similarities(centroids, speech);
    const auto [alike, excess] = most_alike(
        similar, rivalry(rivals, centroids, speech), options.merge_threshold);
    const auto smallest = std::ranges::min_element(speech);
    if (excess > 0.0) {
      centroids = merge(centroids, alike, speech);
    } else if (*smallest < least_speech) {
      const auto row = static_cast<std::size_t>(smallest - speech.begin());
      centroids = without(centroids, row, row, {});
    } else if (num <= options.most) {
      return centroids;
    } else {
      centroids = merge(centroids, cheapest_pair(similar, speech), speech);
    }
  }
}

}  // namespace diarize::test
