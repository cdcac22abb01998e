#include "scripts/benchmarks/fma_peak.h"

#include <algorithm>
#include <ctime>

namespace diarize::bench {
namespace {

constexpr int kChains = 24;  // enough to hide the latency on two units
constexpr int kSteps = 100'000;
constexpr int kRuns = 15;

// Runs the chains in vectors of kBytes and returns how many operations.
template <int kBytes>
[[gnu::always_inline]] inline double run_chains() {
  typedef float Vector __attribute__((vector_size(kBytes)));
  Vector sums[kChains];
  for (int i = 0; i < kChains; ++i) sums[i] = Vector{} + 1.0F;
  Vector factor = Vector{} + 0.999F;
  for (int step = 0; step < kSteps; ++step) {
#pragma GCC unroll 24
    for (int i = 0; i < kChains; ++i) sums[i] = sums[i] * factor + factor;
    // The compiler must not think ahead.
    asm volatile("" : "+x"(factor));
  }
  Vector total{};
  for (int i = 0; i < kChains; ++i) total += sums[i];
  asm volatile("" : : "m"(total));
  return 2.0 * kChains * kSteps * (kBytes / sizeof(float));
}

[[gnu::target("avx512f,fma")]] double run_avx512() { return run_chains<64>(); }
[[gnu::target("avx2,fma")]] double run_avx2() { return run_chains<32>(); }

}  // namespace

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) +
         1e-9 * static_cast<double>(now.tv_nsec);
}

double measure_fma_peak() {
  const auto run = __builtin_cpu_supports("avx512f") ? run_avx512 : run_avx2;
  double best = 0.0;
  for (int i = 0; i < kRuns; ++i) {
    const double begin = thread_seconds();
    const double operations = run();
    best = std::max(best, operations / (thread_seconds() - begin) / 1e9);
  }
  return best;
}

}  // namespace diarize::bench
