#pragma once

#include "core/clustering/product_tile.h"
#include "core/clustering/vector_list.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace diarize {

// The vectors that may be nearest to one.
struct Neighbours {
  std::vector<std::int32_t> indices;  // in no order
  // Not less than the product with any vector that is not in `indices`.
  double bound = 0.0;
};

// For every vector the others with which it has the largest products: about
// `most` of them, and none below `least`, so `bound` is below `least` where
// there are fewer.
//
// All products are taken once, in single precision, tile by tile, on up to
// eight threads; what that can be wrong by is in the bounds. The first
// `num_vectors` of `vectors`, no longer than one, take part. The result does
// not depend on the number of threads.
// Cost: n^2 dimension / 2 products, O(n most) memory.
[[nodiscard]] std::vector<Neighbours> find_neighbours(
    const PackedVectors& vectors, std::size_t num_vectors, std::size_t most,
    double least);

// The same for vectors that need not be among `vectors`: those that are find
// themselves too.
[[nodiscard]] std::vector<Neighbours> find_neighbours_of(
    const PackedVectors& queries, std::size_t num_queries,
    const PackedVectors& vectors, std::size_t num_vectors, std::size_t most,
    double least);

}  // namespace diarize
