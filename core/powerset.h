#pragma once

#include "core/types.h"

#include <cstdint>
#include <span>
#include <vector>

namespace diarize {

// The speakers of each class of a powerset classifier: one row of
// `num_speakers` zeros and ones a class, first nobody, then every single
// speaker, every pair, ... up to `max_simultaneous` at once, each size in
// lexical order (pyannote.audio 4.0, Powerset.build_mapping).
//
// (3, 2) gives the seven classes of segmentation-3.0.
[[nodiscard]] std::vector<std::vector<std::uint8_t>> powerset_mapping(
    int num_speakers, int max_simultaneous);

// Who is active in each frame, by the likeliest class; of equal ones the
// first.
//
// scores: (num_chunks, kNumFrames, kNumClasses); chunk_starts: (num_chunks)
// first samples of the chunks. Throws std::logic_error if the shapes differ
// from that. Cost: linear in the size of `scores`.
[[nodiscard]] LocalActivity decode_powerset(
    const SegmentationScores& scores,
    std::span<const std::int64_t> chunk_starts);

}  // namespace diarize
