#pragma once

#include <cstdint>

namespace diarize {

// The one place where samples, frames and seconds are turned into each other.
//
// A chunk is 10 s of 16 kHz mono; the segmentation network gives 589 frames
// for it. All recordings share one output grid: frame t spans
// [t * kFrameStep, t * kFrameStep + kFrameDuration) seconds (the receptive
// field of PyanNet: 991 samples every 270; pyannote.audio 4.0,
// PyanNet.receptive_field).

inline constexpr int kSampleRate = 16000;       // Hz
inline constexpr int kChunkSamples = 160000;    // 10 s
inline constexpr int kNumFrames = 589;          // of a chunk
inline constexpr int kNumLocalSpeakers = 3;     // the network tells apart
inline constexpr int kNumClasses = 7;           // of the powerset
inline constexpr int kFeatureHopSamples = 160;  // of a filter-bank row
inline constexpr int kFeatureSamples = 400;     // seen by a filter-bank row
inline constexpr int kChunkFeatures = 998;      // filter-bank rows of a chunk
inline constexpr double kChunkSeconds = 10.0;
inline constexpr double kFrameStep = 0.016875;       // s
inline constexpr double kFrameDuration = 0.0619375;  // s

// Time of a sample in seconds.
[[nodiscard]] double sample_time(std::int64_t sample);

// Middle of an output frame in seconds, as pyannote.core rounds it:
// 0.5 * (start + (start + duration)).
[[nodiscard]] double frame_middle(std::int64_t frame);

// The same middle as `frame * kFrameStep + 0.5 * kFrameDuration`, which may
// differ from it in the last bit: what the default recipe was fixed with.
[[nodiscard]] double frame_centre(std::int64_t frame);

// The output frame whose middle is nearest to `seconds`, rounded half to even
// (pyannote.core 6.0, SlidingWindow.closest_frame).
[[nodiscard]] std::int64_t closest_frame(double seconds);

// The output frame that the first frame of a chunk falls on.
[[nodiscard]] std::int64_t first_output_frame(std::int64_t chunk_start);

// Number of output frames of a recording whose last chunk starts at sample
// `last_chunk_start`; the last five or so are covered by no chunk.
[[nodiscard]] std::int64_t num_output_frames(std::int64_t last_chunk_start);

}  // namespace diarize
