// Compiled without contraction of a product and a sum into one rounding (see
// CMakeLists.txt), so that all of the variants give the same bits.

#include "core/cpu_level.h"
#include "io/sinc_filter.h"

#include <cstring>

namespace diarize {

namespace {

// GCC and Clang make of these whatever registers the target has.
using Lanes16 = float __attribute__((vector_size(64)));
using Lanes8 = float __attribute__((vector_size(32)));
using Lanes4 = float __attribute__((vector_size(16)));

constexpr std::int64_t kLanes = 16;

[[gnu::always_inline]] inline float dot(const float* row, const float* input,
                                        std::int64_t size) {
  Lanes16 sum{};
  for (std::int64_t tap = 0; tap < size; tap += kLanes) {
    Lanes16 weights;
    Lanes16 samples;
    std::memcpy(&weights, row + tap, sizeof weights);
    std::memcpy(&samples, input + tap, sizeof samples);
    sum += weights * samples;
  }
  Lanes8 eighths[2];
  std::memcpy(eighths, &sum, sizeof sum);
  const Lanes8 half = eighths[0] + eighths[1];
  Lanes4 quarters[2];
  std::memcpy(quarters, &half, sizeof half);
  const Lanes4 four = quarters[0] + quarters[1];
  return (four[0] + four[2]) + (four[1] + four[3]);
}

[[gnu::always_inline]] inline void convolve_rows(const SincFilter& filter,
                                                 const float* input,
                                                 std::int64_t phase,
                                                 std::span<float> output) {
  for (float& sample : output) {
    sample = dot(filter.rows.data() + phase * filter.row_size,
                 input + filter.first_taps[static_cast<std::size_t>(phase)],
                 filter.row_size);
    if (++phase == filter.num_phases) {
      phase = 0;
      input += filter.hop;
    }
  }
}

using Convolve = void (*)(const SincFilter&, const float*, std::int64_t,
                          std::span<float>);

void convolve_plain(const SincFilter& filter, const float* input,
                    std::int64_t phase, std::span<float> output) {
  convolve_rows(filter, input, phase, output);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) void convolve_avx2(const SincFilter& filter,
                                                   const float* input,
                                                   std::int64_t phase,
                                                   std::span<float> output) {
  convolve_rows(filter, input, phase, output);
}

__attribute__((target("avx512f"))) void convolve_avx512(
    const SincFilter& filter, const float* input, std::int64_t phase,
    std::span<float> output) {
  convolve_rows(filter, input, phase, output);
}

Convolve best_convolve() {
  return choose<Convolve>(convolve_plain, convolve_avx2, convolve_avx512);
}
#else
Convolve best_convolve() { return convolve_plain; }
#endif

}  // namespace

void convolve(const SincFilter& filter, std::span<const float> input,
              std::int64_t phase, std::span<float> output) {
  best_convolve()(filter, input.data(), phase, output);
}

}  // namespace diarize
