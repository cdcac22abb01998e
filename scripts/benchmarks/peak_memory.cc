#include "scripts/benchmarks/peak_memory.h"

#include <fstream>
#include <string>

namespace diarize::bench {

double peak_megabytes() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word && word != "VmHWM:") {
  }
  double kilobytes = 0.0;
  status >> kilobytes;
  return kilobytes / 1024.0;
}

}  // namespace diarize::bench
