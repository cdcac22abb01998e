#define DOCTEST_CONFIG_IMPLEMENT
#include "core/cpu_level.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <iostream>
#include <map>
#include <string>

namespace {

// The level in DIARIZE_TEST_CPU_LEVEL, so that the variants of the own loops
// for lesser processors are tested too; the best if it is not set.
diarize::CpuLevel level_asked() {
  const char* name = std::getenv("DIARIZE_TEST_CPU_LEVEL");
  if (name == nullptr) return diarize::CpuLevel::kAmx;
  static const std::map<std::string, diarize::CpuLevel> kLevels = {
      {"baseline", diarize::CpuLevel::kBaseline},
      {"avx2", diarize::CpuLevel::kAvx2},
      {"avx512", diarize::CpuLevel::kAvx512},
      {"avx512_bf16", diarize::CpuLevel::kAvx512Bf16}};
  const auto found = kLevels.find(name);
  if (found == kLevels.end()) {
    std::cerr << "DIARIZE_TEST_CPU_LEVEL: no level " << name << "\n";
    std::exit(2);
  }
  return found->second;
}

}  // namespace

int main(int argc, char** argv) {
  const diarize::CpuLevelLimit limit(level_asked());
  return doctest::Context(argc, argv).run();
}
