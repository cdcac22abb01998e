#include "core/nn/precision.h"

#include "core/cpu_level.h"

namespace diarize {

std::string_view name_of(Precision precision) {
  switch (precision) {
    case Precision::kBfloat16:
      return "bf16";
    case Precision::kBfloat16x3:
      return "bf16x3";
    case Precision::kFloat32:
      break;
  }
  return "fp32";
}

std::vector<Precision> available_precisions() {
  if (cpu_level() < CpuLevel::kAvx512Bf16) return {Precision::kFloat32};
  return {Precision::kFloat32, Precision::kBfloat16};
}

}  // namespace diarize
