#include "core/clustering/add_speakers.h"

#include "core/dot_products.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace diarize {
namespace {

constexpr int kRounds = 5;
constexpr double kSeedFit = 0.8;
constexpr double kOwnSpeaker = 0.999;  // a piece that fits so well is one
constexpr double kLeastQuality = 1e-3;

// The piece that a new speaker starts at.
std::size_t find_seed(const WeightedVectors& pieces,
                      std::span<const double> fits) {
  std::vector<double> scores;
  for (std::size_t piece = 0; piece < fits.size(); ++piece) {
    const double seconds = pieces.seconds[piece];
    const double quality =
        std::max(std::sqrt(centroid_quality(seconds)), kLeastQuality);
    scores.push_back((fits[piece] / quality - kSeedFit) * std::sqrt(seconds));
  }
  return std::ranges::min_element(scores) - scores.begin();
}

// The unit sum of the pieces nearer to `centroid` than `fits` to the known
// ones; the centroid itself where there are none.
std::vector<double> recentre(const WeightedVectors& pieces,
                             std::span<const double> fits,
                             std::vector<double> centroid) {
  std::vector<double> sum(centroid.size(), 0.0);
  bool any = false;
  for (std::size_t piece = 0; piece < fits.size(); ++piece) {
    const std::span<const double> vector = pieces.vectors[piece];
    if (dot(vector, centroid) <= fits[piece]) continue;
    any = true;
    for (std::size_t i = 0; i < sum.size(); ++i) {
      sum[i] += pieces.seconds[piece] * vector[i];
    }
  }
  if (!any) return centroid;
  normalize(sum);
  return sum;
}

}  // namespace

Array<double, 2> add_speakers(const Array<double, 2>& centroids,
                              const WeightedVectors& pieces, int fewest) {
  std::vector<double> values(centroids.values().begin(),
                             centroids.values().end());
  std::size_t num_speakers = centroids.size(0);
  std::vector<double> fits;
  for (const auto& vector : pieces.vectors) {
    fits.push_back(nearest_row(vector, centroids).product);
  }
  while (static_cast<int>(num_speakers) < fewest) {
    const std::size_t seed = find_seed(pieces, fits);
    if (fits[seed] > kOwnSpeaker) break;
    std::vector<double> speaker(pieces.vectors[seed].begin(),
                                pieces.vectors[seed].end());
    for (int round = 0; round < kRounds; ++round) {
      speaker = recentre(pieces, fits, std::move(speaker));
    }
    for (std::size_t piece = 0; piece < fits.size(); ++piece) {
      fits[piece] = std::max(fits[piece], dot(pieces.vectors[piece], speaker));
    }
    values.insert(values.end(), speaker.begin(), speaker.end());
    ++num_speakers;
  }
  return {{num_speakers, centroids.size(1)}, std::move(values)};
}

}  // namespace diarize
