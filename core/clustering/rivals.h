#pragma once

#include "core/clustering/vector_list.h"
#include "core/local_vectors.h"
#include "core/types.h"

#include <vector>

namespace diarize {

// Pairs of local speakers that one chunk tells apart. The segmentation network
// heard them side by side and called them different, which is strong evidence
// where voices on one channel are alike.
struct Rivals {
  VectorList first;             // (num_pairs) of the LocalVectors
  VectorList second;            // (num_pairs)
  std::vector<double> seconds;  // (num_pairs) of rivalry, per covering chunk
};

// The pairs in which both have at least 0.7 s of evidence. The rivalry of a
// pair is that of the one with less evidence, divided by the mean number of
// chunks over a covered frame (at least 1), so that it does not grow as chunks
// overlap more. `local` must outlive the result.
[[nodiscard]] Rivals find_rivals(const LocalVectors& local,
                                 const SpeakerCount& count);

}  // namespace diarize
