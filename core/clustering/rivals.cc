#include "core/clustering/rivals.h"

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

}  // namespace diarize
