#pragma once

#include <cstddef>
#include <vector>

namespace diarize {

// Rows are padded with zeros to a multiple of this many floats.
inline constexpr std::size_t kLaneFloats = 16;

// Scalar products of float32 rows, on the widest vectors this processor has.
//
// The order of the additions depends on the processor, so results differ in
// the last bits between machines: use them to find candidates, not to decide.
// An error is at most product_error() of the two norms.
struct FloatProducts {
  // out[i] = query . rows[i] for num_rows rows of `stride` floats each, a
  // multiple of kLaneFloats.
  void (*one)(const float* query, const float* rows, std::size_t num_rows,
              std::size_t stride, float* out);

  // The same for four queries at once: queries and outs are four pointers.
  void (*four)(const float* const* queries, const float* rows,
               std::size_t num_rows, std::size_t stride, float* const* outs);

  // Whether this processor can run it.
  bool supported;

  const char* name;
};

// All there are, the fastest first; the last is always supported.
[[nodiscard]] std::vector<FloatProducts> all_float_products();

// The fastest supported.
[[nodiscard]] FloatProducts best_float_products();

// Upper bound of |computed - true product| / (|a| |b|) for vectors that were
// rounded to float32 and have `stride` values: both roundings, and those of a
// sum in 16 (8, 4) lanes that are added at the end (N. J. Higham, "Accuracy
// and Stability of Numerical Algorithms", section 3.1).
[[nodiscard]] double product_error(std::size_t stride);

}  // namespace diarize
