#include "core/cpu_level.h"

#include <doctest/doctest.h>

#include <initializer_list>

namespace diarize {
namespace {

using Function = int (*)();
int baseline() { return 0; }
int avx2() { return 1; }
int avx512() { return 2; }

int chosen() { return choose<Function>(baseline, avx2, avx512)(); }

TEST_SUITE("cpu_level") {
  TEST_CASE("the lowest level takes the first variant") {
    const CpuLevelLimit limit(CpuLevel::kBaseline);
    CHECK(cpu_level() == CpuLevel::kBaseline);
    CHECK(chosen() == 0);
  }

  TEST_CASE("a limit ends with its life") {
    const CpuLevel best = cpu_level();
    {
      const CpuLevelLimit limit(CpuLevel::kBaseline);
      const CpuLevelLimit higher(CpuLevel::kAvx2);
      CHECK(cpu_level() == CpuLevel::kBaseline);
    }
    CHECK(cpu_level() == best);
  }

  TEST_CASE("a limit never takes a level that the processor has not") {
    const CpuLevel best = cpu_level();
    for (const CpuLevel most :
         {CpuLevel::kBaseline, CpuLevel::kAvx2, CpuLevel::kAvx512,
          CpuLevel::kAvx512Bf16, CpuLevel::kAmx}) {
      const CpuLevelLimit limit(most);
      CHECK(cpu_level() <= best);
      CHECK(cpu_level() <= most);
      CHECK(chosen() <= static_cast<int>(most));
    }
  }
}

}  // namespace
}  // namespace diarize
