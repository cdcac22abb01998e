#include "core/nn/precision.h"

#include "core/cpu_level.h"

namespace diarize {

std::string_view name_of(Precision precision) {
  return precision == Precision::kBfloat16 ? "bf16" : "fp32";
}

std::vector<Precision> available_precisions() {
  if (cpu_level() < CpuLevel::kAvx512Bf16) return {Precision::kFloat32};
  return {Precision::kFloat32, Precision::kBfloat16};
}

}  // namespace diarize
