#include "core/speaker_count.h"

#include <cmath>
#include <cstdint>
#include <vector>

namespace diarize {

SpeakerCount count_speakers(const LocalActivity& activity) {
  SpeakerCount result;
  if (activity.num_chunks() == 0) return result;
  const auto num_frames =
      static_cast<std::size_t>(num_output_frames(activity.chunk_starts.back()));
  std::vector<std::uint16_t> total(num_frames, 0);
  result.count.assign(num_frames, 0);
  result.covers.assign(num_frames, 0);
  for (std::size_t chunk = 0; chunk < activity.num_chunks(); ++chunk) {
    const std::int64_t first = first_output_frame(activity.chunk_starts[chunk]);
    for (std::size_t frame = 0; frame < kNumFrames; ++frame) {
      int num_active = 0;
      for (const FrameSet& speaker : activity.active[chunk]) {
        num_active += speaker[frame] ? 1 : 0;
      }
      total[first + frame] += num_active;
      ++result.covers[first + frame];
    }
  }
  for (std::size_t frame = 0; frame < num_frames; ++frame) {
    if (total[frame] == 0) continue;
    result.count[frame] = static_cast<std::uint8_t>(std::nearbyint(
        static_cast<double>(total[frame]) / result.covers[frame]));
  }
  return result;
}

}  // namespace diarize
