#pragma once

#include "core/clustering/refine.h"

namespace diarize::test {

// The refinement in its plain form: every piece is compared with every
// centroid in every round, and every sum is taken anew.
[[nodiscard]] Array<double, 2> plain_refine(const Array<double, 2>& centroids,
                                            const WeightedVectors& pieces,
                                            const Rivals& rivals,
                                            const RefineOptions& options);

}  // namespace diarize::test
