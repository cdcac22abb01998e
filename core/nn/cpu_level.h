#pragma once

namespace diarize::nn {

// Which variants of the own loops this processor can run. The choice is made
// at run time, so one program serves all x86-64 processors; on any one of them
// results do not vary.
enum class CpuLevel { kBaseline, kAvx2, kAvx512 };

// The best level of this processor, asked once.
[[nodiscard]] CpuLevel cpu_level();

// The variant of a function for this processor.
template <typename Function>
[[nodiscard]] Function choose(Function baseline, Function avx2,
                              Function avx512) {
  switch (cpu_level()) {
    case CpuLevel::kAvx512:
      return avx512;
    case CpuLevel::kAvx2:
      return avx2;
    case CpuLevel::kBaseline:
      break;
  }
  return baseline;
}

}  // namespace diarize::nn
