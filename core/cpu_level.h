#pragma once

namespace diarize {

// Which variants of the own loops this processor can run, each level with all
// those below it. The choice is made at run time, so one program serves all
// x86-64 processors; on any one of them results do not vary.
enum class CpuLevel {
  kBaseline,
  kAvx2,        // and FMA
  kAvx512,      // F, BW, DQ, VL
  kAvx512Bf16,  // products of pairs of bfloat16
  kAmx,         // tiles of bfloat16
};

// The best level of this processor, or the limit below it while one is set.
[[nodiscard]] CpuLevel cpu_level();

// Holds all threads to a level while it lives, so that a test can run the
// variants of lesser processors. Limits end in the reverse order of their
// making, and nothing that was packed for a level may be used at another. For
// tests only.
class CpuLevelLimit {
 public:
  explicit CpuLevelLimit(CpuLevel most);
  ~CpuLevelLimit();
  CpuLevelLimit(const CpuLevelLimit&) = delete;
  CpuLevelLimit& operator=(const CpuLevelLimit&) = delete;

 private:
  CpuLevel before_;
};

// The variant of a function for this processor.
template <typename Function>
[[nodiscard]] Function choose(Function baseline, Function avx2,
                              Function avx512) {
  const CpuLevel level = cpu_level();
  if (level >= CpuLevel::kAvx512) return avx512;
  return level == CpuLevel::kAvx2 ? avx2 : baseline;
}

}  // namespace diarize
