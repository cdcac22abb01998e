#pragma once

#include "core/array.h"
#include "core/types.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace diarize {

// A vector for every local speaker with evidence: who it sounds like.
struct LocalVectors {
  // (num_rows, dimension) of length one, by chunk, then local speaker.
  Array<double, 2> values;
  // (num_chunks): row of each local speaker in `values`, -1 without evidence.
  std::vector<std::array<std::int32_t, kNumLocalSpeakers>> rows;
  // (num_chunks): seconds of evidence.
  std::vector<std::array<double, kNumLocalSpeakers>> seconds;
};

// What the pieces say about each local speaker: the sum of the pieces' vectors,
// each weighted by the seconds that the local speaker is alone on its frames.
//
// These sums stand for embeddings of whole chunks, of which no more need to be
// computed. A frame that two pieces claim, by the rounding where two chunks
// meet, belongs to the later.
//
// pieces, vectors: (num_pieces), (num_pieces, dimension) of length one.
// Cost: a number per output frame; linear in chunks and pieces.
[[nodiscard]] LocalVectors make_local_vectors(
    const LocalActivity& activity, std::span<const EmbeddingSource> pieces,
    const Array<double, 2>& vectors);

}  // namespace diarize
