#include "core/cpu_level.h"

#include <algorithm>
#include <atomic>

namespace diarize {
namespace {

CpuLevel find_level() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
    return CpuLevel::kBaseline;
  }
  if (!__builtin_cpu_supports("avx512f") ||
      !__builtin_cpu_supports("avx512bw") ||
      !__builtin_cpu_supports("avx512dq") ||
      !__builtin_cpu_supports("avx512vl")) {
    return CpuLevel::kAvx2;
  }
  if (!__builtin_cpu_supports("avx512bf16")) return CpuLevel::kAvx512;
#if defined(__clang__) && __clang_major__ < 19  // does not know AMX by name
  return CpuLevel::kAvx512Bf16;
#else
  return __builtin_cpu_supports("amx-tile") &&
                 __builtin_cpu_supports("amx-bf16")
             ? CpuLevel::kAmx
             : CpuLevel::kAvx512Bf16;
#endif
#else
  return CpuLevel::kBaseline;
#endif
}

// The limit of CpuLevelLimit: none by default.
std::atomic<CpuLevel>& limit() {
  static std::atomic<CpuLevel> most = CpuLevel::kAmx;
  return most;
}

}  // namespace

CpuLevel cpu_level() {
  static const CpuLevel kLevel = find_level();
  return std::min(kLevel, limit().load(std::memory_order_relaxed));
}

CpuLevelLimit::CpuLevelLimit(CpuLevel most) : before_(limit()) {
  limit() = std::min(most, before_);
}

CpuLevelLimit::~CpuLevelLimit() { limit() = before_; }

}  // namespace diarize
