#pragma once

#include "core/count_bounds.h"
#include "core/types.h"

#include <cstdint>
#include <vector>

namespace diarize {

// Turns from clustered local speakers as pyannote.audio 4.0 makes them
// (SpeakerDiarization.reconstruct, to_annotation and apply).

// The labels of `num_clusters` clusters, -1 for those that have no turn.
// Clusters with turns are sorted by their numbers as decimal strings, so that
// 10 comes before 2, and labelled from 0.
[[nodiscard]] std::vector<std::int32_t> labels_by_decimal(
    const Turns& turns, std::size_t num_clusters);

// Sorts turns whose speakers are columns by onset, end, and then as
// pyannote.core sorts tracks: by their names A..Z, AA, AB.. as strings. A
// column is a track; where gaps were filled every turn is one, counted by
// label, then onset.
[[nodiscard]] Turns in_track_order(Turns turns, bool gaps_filled);

// A recording's turns, exclusive turns, and centroids by label.
//
// In each output frame the clusters with the most votes are active, as many
// as speak there, of equal votes the lowest; no more than bounds.max. Where
// more speak at once than there are clusters, clusters without centroid are
// made up for them: they get a row of zeros. A turn lasts from the middle of
// its first frame to the middle of the frame after its last, and may end after
// the recording, whose last chunk is padded with zeros. Gaps of a speaker
// shorter than min_duration_off seconds are filled. Exclusive turns have the
// labels of the others.
//
// Which of equal votes wins is not defined in the reference, whose sort is not
// stable; the lowest is what it gave in all captures at hand.
// Memory: a few thousand frames by clusters, and the turns.
[[nodiscard]] Diarization reconstruct_pyannote(const LocalActivity& activity,
                                               const SpeakerCount& count,
                                               const Clusters& clusters,
                                               const CountBounds& bounds,
                                               double min_duration_off);

}  // namespace diarize
