// The float32 operations a second, in units of 1e9, of all cores together while
// all are busy.
//
//   bench_peak [THREADS]   (1)

#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <thread>
#include <vector>

#include "scripts/benchmarks/fma_peak.h"

int main(int argc, char** argv) {
  std::vector<double> peaks(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1);
  {
    std::vector<std::jthread> threads;
    threads.reserve(peaks.size());
    for (double& peak : peaks) {
      threads.emplace_back([&] { peak = diarize::bench::measure_fma_peak(); });
    }
  }
  std::printf("%.1f\n", std::accumulate(peaks.begin(), peaks.end(), 0.0));
  return 0;
}
