#pragma once

#include <string_view>
#include <vector>

namespace diarize {

// The arithmetic of the products inside the embedding networks. With kBfloat16
// their factors are rounded to 8 bits and summed up in float32; features,
// norms, statistics, the last products and the segmentation stay in float32.
enum class Precision { kFloat32, kBfloat16 };

// As users name it: `fp32`, `bf16`.
[[nodiscard]] std::string_view name_of(Precision precision);

// What this processor can run at full speed, the fastest last. kBfloat16 needs
// AVX-512 with bfloat16 or AMX: without, it would be slower than float32.
[[nodiscard]] std::vector<Precision> available_precisions();

}  // namespace diarize
