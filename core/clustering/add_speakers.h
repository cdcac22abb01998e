#pragma once

#include "core/array.h"
#include "core/clustering/refine.h"

namespace diarize {

// Adds speakers one by one until there are `fewest`; the known ones stay put.
//
// A new speaker starts at the piece that is long and unlike everyone known:
// the least (fit / sqrt(q) - 0.8) sqrt(w), with `fit` its largest cosine to a
// centroid, w its seconds and q the quality of a centroid of w seconds. Five
// times it becomes the unit sum of w x over the pieces x nearest to it.
// Fewer come back where every piece already is a speaker of its own.
// Cost: num_pieces * dimension for each speaker added.
[[nodiscard]] Array<double, 2> add_speakers(const Array<double, 2>& centroids,
                                            const WeightedVectors& pieces,
                                            int fewest);

}  // namespace diarize
