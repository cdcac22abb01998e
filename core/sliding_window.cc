#include "core/sliding_window.h"

#include <cmath>

namespace diarize {

double sample_time(std::int64_t sample) {
  return static_cast<double>(sample) / kSampleRate;
}

double frame_middle(std::int64_t frame) {
  const double start = static_cast<double>(frame) * kFrameStep;
  return 0.5 * (start + (start + kFrameDuration));
}

double frame_centre(std::int64_t frame) {
  return static_cast<double>(frame) * kFrameStep + 0.5 * kFrameDuration;
}

std::int64_t closest_frame(double seconds) {
  return static_cast<std::int64_t>(
      std::nearbyint((seconds - 0.5 * kFrameDuration) / kFrameStep));
}

std::int64_t first_output_frame(std::int64_t chunk_start) {
  return closest_frame(sample_time(chunk_start) + 0.5 * kFrameDuration);
}

std::int64_t num_output_frames(std::int64_t last_chunk_start) {
  return closest_frame(kChunkSeconds + sample_time(last_chunk_start) +
                       0.5 * kFrameDuration) +
         1;
}

}  // namespace diarize
