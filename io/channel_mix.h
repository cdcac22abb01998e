#pragma once

#include <span>
#include <vector>

namespace diarize {

// One channel of an interleaved block. channel: from 0.
// interleaved: (num_frames, num_channels). Returns (num_frames).
[[nodiscard]] std::vector<float> take_channel(
    std::span<const float> interleaved, int num_channels, int channel);

// The arithmetic mean over the channels, added up in float32 in their order
// (pyannote.audio 4.0, Audio.downmix_and_resample): channels that are equal
// two by two give back exactly what each holds. One channel is left as it is.
// interleaved: (num_frames, num_channels). Returns (num_frames).
[[nodiscard]] std::vector<float> mean_of_channels(
    std::span<const float> interleaved, int num_channels);

}  // namespace diarize
