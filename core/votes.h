#pragma once

#include "core/array.h"
#include "core/types.h"

#include <cstdint>
#include <span>
#include <vector>

namespace diarize {

// Where the votes of a recording come from.
struct Ballot {
  const LocalActivity& activity;
  const SpeakerCount& count;
  // (num_chunks, kNumLocalSpeakers) cluster of each local speaker, or
  // kInactive.
  const Array<std::int32_t, 2>& assignment;
  std::size_t num_clusters = 0;
  // Pieces that vote, by chunk, and the cluster of each; none in pyannote's
  // pipelines.
  std::span<const EmbeddingSource> pieces;
  std::span<const std::int32_t> piece_clusters;
};

// Votes of the output frames [begin, end): (end - begin, num_clusters).
//
// A chunk gives one vote, in each frame, to every cluster that one or more of
// its active local speakers belong to. A piece gives 1.2 times as many votes
// as chunks cover the frame, so that it decides alone: a piece holds one voice
// even where the segmentation took two for one.
// Cost: linear in the result and in the chunks and pieces over these frames.
[[nodiscard]] Array<double, 2> count_votes(const Ballot& ballot,
                                           std::int64_t begin,
                                           std::int64_t end);

// Who is active, twice.
struct Reconstruction {
  SpeakerActivity regular;    // as many at a time as the count says
  SpeakerActivity exclusive;  // at most one at a time
};

// In every frame the clusters with the most votes, as many as the count says:
// of equal votes the lowest cluster, and ones without votes if there are no
// others (pyannote.audio 4.0, SpeakerDiarizationMixin.to_diarization).
//
// Goes over the frames in runs of a few thousand, with only the chunks and
// pieces that cover them. Cost: num_frames * num_clusters time, memory for one
// such run and the result.
[[nodiscard]] Reconstruction reconstruct(const Ballot& ballot);

}  // namespace diarize
