#include "core/powerset.h"

#include <algorithm>
#include <stdexcept>

namespace diarize {
namespace {

constexpr int kMaxSimultaneous = 2;

// Appends the classes of `left` more speakers out of those from `first` on.
void append_classes(std::vector<std::uint8_t>& active, std::size_t first,
                    int left, std::vector<std::vector<std::uint8_t>>& classes) {
  if (left == 0) {
    classes.push_back(active);
    return;
  }
  for (std::size_t speaker = first; speaker < active.size(); ++speaker) {
    active[speaker] = 1;
    append_classes(active, speaker + 1, left - 1, classes);
    active[speaker] = 0;
  }
}

}  // namespace

std::vector<std::vector<std::uint8_t>> powerset_mapping(int num_speakers,
                                                        int max_simultaneous) {
  std::vector<std::vector<std::uint8_t>> classes;
  std::vector<std::uint8_t> active(num_speakers, 0);
  for (int size = 0; size <= max_simultaneous; ++size) {
    append_classes(active, 0, size, classes);
  }
  return classes;
}

LocalActivity decode_powerset(const SegmentationScores& scores,
                              std::span<const std::int64_t> chunk_starts) {
  if (scores.size(0) != chunk_starts.size() ||
      (!scores.empty() &&
       (scores.size(1) != kNumFrames || scores.size(2) != kNumClasses))) {
    throw std::logic_error("decode_powerset: the scores do not fit the chunks");
  }
  const auto mapping = powerset_mapping(kNumLocalSpeakers, kMaxSimultaneous);
  LocalActivity activity;
  activity.chunk_starts.assign(chunk_starts.begin(), chunk_starts.end());
  activity.active.resize(chunk_starts.size());
  for (std::size_t chunk = 0; chunk < chunk_starts.size(); ++chunk) {
    const std::span<const float> frames = scores.row(chunk);
    for (std::size_t frame = 0; frame < kNumFrames; ++frame) {
      const auto classes = frames.subspan(frame * kNumClasses, kNumClasses);
      const auto best = std::max_element(classes.begin(), classes.end());
      const auto& speakers = mapping[best - classes.begin()];
      for (int speaker = 0; speaker < kNumLocalSpeakers; ++speaker) {
        if (speakers[speaker] != 0) activity.active[chunk][speaker].set(frame);
      }
    }
  }
  return activity;
}

}  // namespace diarize
