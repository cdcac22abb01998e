#include "core/nn/cpu_level.h"

namespace diarize::nn {
namespace {

CpuLevel find_level() {
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma")) {
    return CpuLevel::kAvx512;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return CpuLevel::kAvx2;
  }
  return CpuLevel::kBaseline;
}

}  // namespace

CpuLevel cpu_level() {
  static const CpuLevel kLevel = find_level();
  return kLevel;
}

}  // namespace diarize::nn
