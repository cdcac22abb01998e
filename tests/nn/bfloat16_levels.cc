#include "tests/nn/bfloat16_levels.h"

#include <doctest/doctest.h>

namespace diarize::test {

std::vector<CpuLevel> bfloat16_levels() {
  std::vector<CpuLevel> result;
  for (const CpuLevel level : {CpuLevel::kAvx512Bf16, CpuLevel::kAmx}) {
    if (level <= cpu_level()) result.push_back(level);
  }
  if (result.empty()) MESSAGE("skipped: no bfloat16 here");
  return result;
}

}  // namespace diarize::test
