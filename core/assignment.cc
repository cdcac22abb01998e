#include "core/assignment.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

namespace diarize {
namespace {

constexpr double kEqualSums = 1e-12;

using Choice = std::array<std::int32_t, kNumLocalSpeakers>;

// The clusters with the largest similarities, of equal ones the lowest first.
std::vector<std::int32_t> best_clusters(std::span<const double> similarity,
                                        std::size_t most) {
  std::vector<std::int32_t> clusters(similarity.size());
  std::iota(clusters.begin(), clusters.end(), 0);
  const std::size_t num = std::min(most, clusters.size());
  std::partial_sort(clusters.begin(),
                    clusters.begin() + static_cast<std::ptrdiff_t>(num),
                    clusters.end(), [&](std::int32_t a, std::int32_t b) {
                      if (similarity[a] == similarity[b]) return a < b;
                      return similarity[a] > similarity[b];
                    });
  clusters.resize(num);
  return clusters;
}

// Number of clusters in a choice; -1 if two speakers share one.
int num_filled(const Choice& choice) {
  int filled = 0;
  for (int speaker = 0; speaker < kNumLocalSpeakers; ++speaker) {
    if (choice[speaker] == kInactive) continue;
    ++filled;
    const auto end = choice.begin() + speaker;
    if (std::find(choice.begin(), end, choice[speaker]) != end) return -1;
  }
  return filled;
}

double sum_of(const Array<double, 2>& similarity, const Choice& choice) {
  double sum = 0.0;
  for (int speaker = 0; speaker < kNumLocalSpeakers; ++speaker) {
    if (choice[speaker] != kInactive) {
      sum += similarity(speaker, choice[speaker]);
    }
  }
  return sum;
}

}  // namespace

Choice assign_speakers(const Array<double, 2>& similarity,
                       const std::array<bool, kNumLocalSpeakers>& present) {
  const auto num_present =
      static_cast<std::size_t>(std::ranges::count(present, true));
  const std::size_t most = std::min(num_present, similarity.size(1));
  std::array<std::vector<std::int32_t>, kNumLocalSpeakers> candidates;
  for (int speaker = 0; speaker < kNumLocalSpeakers; ++speaker) {
    if (present[speaker]) {
      candidates[speaker] = best_clusters(similarity.row(speaker), num_present);
    }
    if (!present[speaker] || most < num_present) {
      candidates[speaker].push_back(kInactive);
    }
  }
  Choice best;
  best.fill(kInactive);
  double best_sum = -std::numeric_limits<double>::infinity();
  for (const std::int32_t first : candidates[0]) {
    for (const std::int32_t second : candidates[1]) {
      for (const std::int32_t third : candidates[2]) {
        const Choice choice = {first, second, third};
        if (num_filled(choice) != static_cast<int>(most)) continue;
        const double sum = sum_of(similarity, choice);
        if (sum <= best_sum + kEqualSums) continue;
        best_sum = sum;
        best = choice;
      }
    }
  }
  return best;
}

}  // namespace diarize
