#include "core/nn/pool_norm.h"

#include "core/cpu_level.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

namespace diarize::nn {
namespace {

constexpr double kEpsilon = 1e-5;
constexpr float kSlope = 0.01F;
constexpr std::int64_t kRowsPerSum = 64;  // between additions to the totals

struct Arguments {
  const float* in;
  std::int64_t in_stride;
  std::int64_t num_rows;
  float scale;
  const float* weight;  // or shift
  const float* bias;
  float* out;
};
using Loop = void (*)(const Arguments&);

template <int kChannels>
[[gnu::always_inline]] inline void magnitudes_loop(const Arguments& a) {
  for (std::int64_t row = 0; row < a.num_rows; ++row) {
    const float* in = a.in + row * 3 * kChannels;
    float* __restrict out = a.out + row * kChannels;
    for (int c = 0; c < kChannels; ++c) {
      const float v0 = __builtin_fabsf(a.scale * in[c] + a.weight[c]);
      const float v1 =
          __builtin_fabsf(a.scale * in[c + kChannels] + a.weight[c]);
      const float v2 =
          __builtin_fabsf(a.scale * in[c + 2 * kChannels] + a.weight[c]);
      const float v01 = v0 > v1 ? v0 : v1;
      out[c] = v01 > v2 ? v01 : v2;
    }
  }
}

template <int kChannels>
[[gnu::always_inline]] inline void pool_loop(const Arguments& a) {
  for (std::int64_t row = 0; row < a.num_rows; ++row) {
    const float* in = a.in + row * 3 * a.in_stride;
    float* __restrict out = a.out + row * kChannels;
    for (int c = 0; c < kChannels; ++c) {
      const float v0 = in[c];
      const float v1 = in[c + a.in_stride];
      const float v2 = in[c + 2 * a.in_stride];
      const float v01 = v0 > v1 ? v0 : v1;
      out[c] = v01 > v2 ? v01 : v2;
    }
  }
}

// Sum over rows of (values - center)^power, power 1 or 2.
template <int kChannels, int kPower>
[[gnu::always_inline]] inline std::array<double, kChannels> sum_rows(
    const float* values, std::int64_t num_rows, const float* center) {
  std::array<double, kChannels> total{};
  for (std::int64_t begin = 0; begin < num_rows; begin += kRowsPerSum) {
    const std::int64_t rest = num_rows - begin;
    const std::int64_t rows = rest < kRowsPerSum ? rest : kRowsPerSum;
    std::array<float, kChannels> part{};
    for (std::int64_t row = begin; row < begin + rows; ++row) {
      const float* in = values + row * kChannels;
      for (int c = 0; c < kChannels; ++c) {
        const float v = in[c] - center[c];
        part[c] += kPower == 1 ? v : v * v;
      }
    }
    for (int c = 0; c < kChannels; ++c) total[c] += part[c];
  }
  return total;
}

template <int kChannels>
[[gnu::always_inline]] inline void normalize_loop(const Arguments& a) {
  std::array<float, kChannels> mean{};
  const auto sum = sum_rows<kChannels, 1>(a.out, a.num_rows, mean.data());
  const auto num_rows = static_cast<double>(a.num_rows);
  for (int c = 0; c < kChannels; ++c) {
    mean[c] = static_cast<float>(sum[c] / num_rows);
  }
  const auto squares = sum_rows<kChannels, 2>(a.out, a.num_rows, mean.data());
  std::array<float, kChannels> scale;
  for (int c = 0; c < kChannels; ++c) {
    scale[c] = static_cast<float>(
        a.weight[c] / __builtin_sqrt(squares[c] / num_rows + kEpsilon));
  }
  for (std::int64_t row = 0; row < a.num_rows; ++row) {
    float* values = a.out + row * kChannels;
    for (int c = 0; c < kChannels; ++c) {
      const float v = (values[c] - mean[c]) * scale[c] + a.bias[c];
      const float small = v * kSlope;
      values[c] = v > small ? v : small;
    }
  }
}

// The same loop compiled for each level of processor.
template <int kChannels, int kStep>
[[gnu::always_inline]] inline void run_loop(const Arguments& a) {
  if constexpr (kStep == 0) magnitudes_loop<kChannels>(a);
  if constexpr (kStep == 1) pool_loop<kChannels>(a);
  if constexpr (kStep == 2) normalize_loop<kChannels>(a);
}
template <int kChannels, int kStep>
void run_baseline(const Arguments& a) {
  run_loop<kChannels, kStep>(a);
}
template <int kChannels, int kStep>
[[gnu::target("avx2,fma")]] void run_avx2(const Arguments& a) {
  run_loop<kChannels, kStep>(a);
}
template <int kChannels, int kStep>
[[gnu::target(
    "avx512f,avx512bw,avx512dq,avx512vl,fma,"
    "prefer-vector-width=512")]] void
run_avx512(const Arguments& a) {
  run_loop<kChannels, kStep>(a);
}

template <int kStep>
void run(int channels, const Arguments& arguments) {
  Loop loop = nullptr;
  if (channels == 80) {
    loop = choose<Loop>(run_baseline<80, kStep>, run_avx2<80, kStep>,
                        run_avx512<80, kStep>);
  } else if (channels == 60) {
    loop = choose<Loop>(run_baseline<60, kStep>, run_avx2<60, kStep>,
                        run_avx512<60, kStep>);
  } else {
    throw std::logic_error("pool_norm: 80 or 60 channels expected");
  }
  loop(arguments);
}

}  // namespace

void pool_magnitudes(const float* in, std::int64_t num_rows, int channels,
                     const FilteredAffine& affine, float* out) {
  run<0>(channels, {in, channels, num_rows, affine.scale, affine.shift.data(),
                    nullptr, out});
}

void pool(const float* in, std::int64_t in_stride, std::int64_t num_rows,
          int channels, float* out) {
  run<1>(channels, {in, in_stride, num_rows, 1.0F, nullptr, nullptr, out});
}

void normalize_leaky_relu(float* values, std::int64_t num_rows, int channels,
                          const InstanceNorm& norm) {
  run<2>(channels, {nullptr, channels, num_rows, 1.0F, norm.weight.data(),
                    norm.bias.data(), values});
}

}  // namespace diarize::nn
