#include "core/clustering/rivals.h"

#include "core/dot_products.h"

#include <algorithm>

namespace diarize {
namespace {

constexpr double kLeastRivalSeconds = 0.7;

double mean_covers(const SpeakerCount& count) {
  double sum = 0.0;
  double num_covered = 0.0;
  for (const std::uint16_t covers : count.covers) {
    sum += covers;
    num_covered += covers > 0 ? 1.0 : 0.0;
  }
  return num_covered > 0.0 ? sum / num_covered : 0.0;
}

}  // namespace

Rivals find_rivals(const LocalVectors& local, const SpeakerCount& count) {
  const double covers = std::max(1.0, mean_covers(count));
  Rivals rivals;
  for (std::size_t chunk = 0; chunk < local.rows.size(); ++chunk) {
    const auto& seconds = local.seconds[chunk];
    for (int first = 0; first < kNumLocalSpeakers; ++first) {
      for (int second = first + 1; second < kNumLocalSpeakers; ++second) {
        const double shared = std::min(seconds[first], seconds[second]);
        if (shared < kLeastRivalSeconds) continue;
        rivals.first.push_back(local.values.row(local.rows[chunk][first]));
        rivals.second.push_back(local.values.row(local.rows[chunk][second]));
        rivals.seconds.push_back(shared / covers);
      }
    }
  }
  return rivals;
}

Array<double, 2> rivalry(const Rivals& rivals,
                         const Array<double, 2>& centroids,
                         std::span<const double> speech) {
  constexpr double kLeastSpeech = 1e-9;
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
      result(a, b) /= std::max(std::min(speech[a], speech[b]), kLeastSpeech);
    }
  }
  return result;
}

}  // namespace diarize
