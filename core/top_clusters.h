#pragma once

#include "core/types.h"

#include <cstdint>
#include <span>
#include <vector>

namespace diarize {

// The `count` clusters with the most votes, of equal votes the lowest first;
// all clusters where there are fewer. Votes of zero can win.
[[nodiscard]] std::vector<std::int32_t> top_clusters(
    std::span<const double> votes, int count);

// Gathers which clusters are active, frame by frame, into runs.
class RunCollector {
 public:
  explicit RunCollector(std::size_t num_clusters);

  // The clusters active in a frame; frames ascend, silent ones may be left
  // out, and no cluster is named twice.
  void add(std::int64_t frame, std::span<const std::int32_t> clusters);

  // All runs, by cluster, then first frame. Leaves the collector empty.
  [[nodiscard]] SpeakerActivity finish(std::int64_t num_frames);

 private:
  std::vector<std::vector<ActiveRun>> runs_;  // (num_clusters)
};

}  // namespace diarize
