#pragma once

#include "core/types.h"

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace diarize {

struct TurnRules {
  // Shorter gaps within a speaker are filled, s.
  double min_duration_off = 0.0;
  // Shorter turns, after gaps are filled, are dropped, s.
  double min_duration_on = 0.0;
  // Where turns are clipped, s: the end of the recording.
  double end = std::numeric_limits<double>::infinity();
  // Turns that are no longer are dropped last, s.
  double longest_dropped = 5e-4;
  // Fill only gaps in which nobody else speaks, so that turns that do not
  // overlap stay so.
  bool fill_silence_only = false;
  // The time of a frame at which turns start and end; `frame_middle` in
  // pyannote's pipelines.
  double (*frame_time)(std::int64_t frame) = frame_centre;
};

// The turns of each cluster, whose number stands for the speaker.
//
// A turn lasts from the middle of its first frame to that of the first silent
// frame after it, or of the last frame of all.
[[nodiscard]] Turns make_turns(const SpeakerActivity& activity,
                               const TurnRules& options);

// The label of each of `num_clusters` clusters by the order of first turns; -1
// without turns.
[[nodiscard]] std::vector<std::int32_t> labels_by_appearance(
    const Turns& turns, std::size_t num_clusters);

// The turns with labels for clusters, sorted anew.
[[nodiscard]] Turns relabel(Turns turns, std::span<const std::int32_t> labels);

}  // namespace diarize
