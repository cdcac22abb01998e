#pragma once

#include <string_view>
#include <vector>

namespace diarize {

// The arithmetic of the products inside the networks; sums are always float32.
enum class Precision {
  kFloat32,
  // Factors rounded to 8 bits, in the embedding networks; features, norms,
  // statistics and the last products stay in float32. The LSTM of the
  // segmentation, whose errors move the borders of turns, has kBfloat16x3 where
  // there is AMX, else float32.
  kBfloat16,
  // Each factor the sum of two bfloat16, and three of the four products: 16
  // bits. Not a choice of its own.
  kBfloat16x3,
};

// As users and messages name it: `fp32`, `bf16`, `bf16x3`.
[[nodiscard]] std::string_view name_of(Precision precision);

// What this processor can run at full speed, the fastest last. kBfloat16 needs
// AVX-512 with bfloat16 or AMX: without, it would be slower than float32.
[[nodiscard]] std::vector<Precision> available_precisions();

}  // namespace diarize
