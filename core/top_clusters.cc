#include "core/top_clusters.h"

#include <algorithm>

namespace diarize {

std::vector<std::int32_t> top_clusters(std::span<const double> votes,
                                       int count) {
  std::vector<std::int32_t> top;
  const auto num_clusters = static_cast<std::int32_t>(votes.size());
  while (static_cast<int>(top.size()) < std::min(count, num_clusters)) {
    std::int32_t best = -1;
    for (std::int32_t cluster = 0; cluster < num_clusters; ++cluster) {
      if (std::ranges::count(top, cluster) > 0) continue;
      if (best < 0 || votes[cluster] > votes[best]) best = cluster;
    }
    top.push_back(best);
  }
  return top;
}

RunCollector::RunCollector(std::size_t num_clusters) : runs_(num_clusters) {}

void RunCollector::add(std::int64_t frame,
                       std::span<const std::int32_t> clusters) {
  for (const std::int32_t cluster : clusters) {
    std::vector<ActiveRun>& runs = runs_[cluster];
    if (runs.empty() || runs.back().end_frame != frame) {
      runs.push_back({cluster, frame, frame});
    }
    runs.back().end_frame = frame + 1;
  }
}

SpeakerActivity RunCollector::finish(std::int64_t num_frames) {
  SpeakerActivity result{num_frames, {}};
  for (std::vector<ActiveRun>& runs : runs_) {
    result.runs.insert(result.runs.end(), runs.begin(), runs.end());
    runs.clear();
  }
  return result;
}

}  // namespace diarize
