#include "core/clustering/float_products.h"

#include "core/cpu_level.h"

#include <array>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace diarize {
namespace {

float lanes_product(const float* a, const float* b, std::size_t stride) {
  std::array<float, kLaneFloats> lanes{};
  for (std::size_t i = 0; i < stride; i += kLaneFloats) {
    for (std::size_t lane = 0; lane < kLaneFloats; ++lane) {
      lanes[lane] += a[i + lane] * b[i + lane];
    }
  }
  float sum = 0.0F;
  for (const float lane : lanes) sum += lane;
  return sum;
}

void plain_one(const float* query, const float* rows, std::size_t num_rows,
               std::size_t stride, float* out) {
  for (std::size_t row = 0; row < num_rows; ++row) {
    out[row] = lanes_product(query, rows + row * stride, stride);
  }
}

void plain_four(const float* const* queries, const float* rows,
                std::size_t num_rows, std::size_t stride, float* const* outs) {
  for (std::size_t row = 0; row < num_rows; ++row) {
    for (int query = 0; query < 4; ++query) {
      outs[query][row] =
          lanes_product(queries[query], rows + row * stride, stride);
    }
  }
}

#if defined(__x86_64__)

[[gnu::target("avx2,fma")]] inline float sum_of(__m256 lanes) {
  __m128 sum = _mm_add_ps(_mm256_castps256_ps128(lanes),
                          _mm256_extractf128_ps(lanes, 1));
  sum = _mm_add_ps(sum, _mm_movehl_ps(sum, sum));
  return _mm_cvtss_f32(_mm_add_ss(sum, _mm_shuffle_ps(sum, sum, 1)));
}

[[gnu::target("avx2,fma")]] void avx2_one(const float* query, const float* rows,
                                          std::size_t num_rows,
                                          std::size_t stride, float* out) {
  for (std::size_t row = 0; row < num_rows; ++row, rows += stride) {
    __m256 even = _mm256_setzero_ps();
    __m256 odd = _mm256_setzero_ps();
    for (std::size_t i = 0; i < stride; i += kLaneFloats) {
      even = _mm256_fmadd_ps(_mm256_loadu_ps(query + i),
                             _mm256_loadu_ps(rows + i), even);
      odd = _mm256_fmadd_ps(_mm256_loadu_ps(query + i + 8),
                            _mm256_loadu_ps(rows + i + 8), odd);
    }
    out[row] = sum_of(_mm256_add_ps(even, odd));
  }
}

[[gnu::target("avx2,fma")]] void avx2_four(const float* const* queries,
                                           const float* rows,
                                           std::size_t num_rows,
                                           std::size_t stride,
                                           float* const* outs) {
  std::size_t row = 0;
  for (; row + 2 <= num_rows; row += 2, rows += 2 * stride) {
    __m256 sums[4][2] = {};
    for (std::size_t i = 0; i < stride; i += 8) {
      const __m256 first = _mm256_loadu_ps(rows + i);
      const __m256 second = _mm256_loadu_ps(rows + stride + i);
      for (int query = 0; query < 4; ++query) {
        const __m256 values = _mm256_loadu_ps(queries[query] + i);
        sums[query][0] = _mm256_fmadd_ps(values, first, sums[query][0]);
        sums[query][1] = _mm256_fmadd_ps(values, second, sums[query][1]);
      }
    }
    for (int query = 0; query < 4; ++query) {
      outs[query][row] = sum_of(sums[query][0]);
      outs[query][row + 1] = sum_of(sums[query][1]);
    }
  }
  for (int query = 0; query < 4 && row < num_rows; ++query) {
    avx2_one(queries[query], rows, num_rows - row, stride, outs[query] + row);
  }
}

[[gnu::target("avx512f")]] inline float sum_of(__m512 lanes) {
  // With masks, since g++ 12 warns of its own header without them.
  const __m512d pairs = _mm512_castps_pd(lanes);
  const __m256 half = _mm256_add_ps(
      _mm256_castpd_ps(_mm512_maskz_extractf64x4_pd(0xFF, pairs, 0)),
      _mm256_castpd_ps(_mm512_maskz_extractf64x4_pd(0xFF, pairs, 1)));
  __m128 sum =
      _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1));
  sum = _mm_add_ps(sum, _mm_movehl_ps(sum, sum));
  return _mm_cvtss_f32(_mm_add_ss(sum, _mm_shuffle_ps(sum, sum, 1)));
}

[[gnu::target("avx512f")]] void avx512_one(const float* query,
                                           const float* rows,
                                           std::size_t num_rows,
                                           std::size_t stride, float* out) {
  std::size_t row = 0;
  for (; row + 4 <= num_rows; row += 4, rows += 4 * stride) {
    __m512 sums[4] = {};
    for (std::size_t i = 0; i < stride; i += kLaneFloats) {
      const __m512 values = _mm512_loadu_ps(query + i);
      for (int r = 0; r < 4; ++r) {
        sums[r] = _mm512_fmadd_ps(
            values, _mm512_loadu_ps(rows + r * stride + i), sums[r]);
      }
    }
    for (int r = 0; r < 4; ++r) out[row + r] = sum_of(sums[r]);
  }
  for (; row < num_rows; ++row, rows += stride) {
    __m512 sum = _mm512_setzero_ps();
    for (std::size_t i = 0; i < stride; i += kLaneFloats) {
      sum = _mm512_fmadd_ps(_mm512_loadu_ps(query + i),
                            _mm512_loadu_ps(rows + i), sum);
    }
    out[row] = sum_of(sum);
  }
}

[[gnu::target("avx512f")]] void avx512_four(const float* const* queries,
                                            const float* rows,
                                            std::size_t num_rows,
                                            std::size_t stride,
                                            float* const* outs) {
  std::size_t row = 0;
  for (; row + 4 <= num_rows; row += 4, rows += 4 * stride) {
    __m512 sums[4][4] = {};
    for (std::size_t i = 0; i < stride; i += kLaneFloats) {
      __m512 values[4];
      for (int r = 0; r < 4; ++r) {
        values[r] = _mm512_loadu_ps(rows + r * stride + i);
      }
      for (int query = 0; query < 4; ++query) {
        const __m512 factor = _mm512_loadu_ps(queries[query] + i);
        for (int r = 0; r < 4; ++r) {
          sums[query][r] = _mm512_fmadd_ps(factor, values[r], sums[query][r]);
        }
      }
    }
    for (int query = 0; query < 4; ++query) {
      for (int r = 0; r < 4; ++r) {
        outs[query][row + r] = sum_of(sums[query][r]);
      }
    }
  }
  for (int query = 0; query < 4 && row < num_rows; ++query) {
    avx512_one(queries[query], rows, num_rows - row, stride, outs[query] + row);
  }
}

#endif

}  // namespace

std::vector<FloatProducts> all_float_products() {
  std::vector<FloatProducts> all;
#if defined(__x86_64__)
  const CpuLevel level = cpu_level();
  all.push_back(
      {&avx512_one, &avx512_four, level >= CpuLevel::kAvx512, "avx512"});
  all.push_back({&avx2_one, &avx2_four, level >= CpuLevel::kAvx2, "avx2"});
#endif
  all.push_back({&plain_one, &plain_four, true, "plain"});
  return all;
}

FloatProducts best_float_products() {
  for (const FloatProducts& products : all_float_products()) {
    if (products.supported) return products;
  }
  return {&plain_one, &plain_four, true, "plain"};
}

double product_error(std::size_t stride) {
  constexpr double kUnitRoundoff = 0x1p-24;
  // Terms one lane adds up (4 lanes at worst, of the narrowest vectors, which
  // no kernel has fewer than 8 of), the lanes themselves, two roundings of
  // the inputs and one of the product.
  const double additions =
      static_cast<double>(stride) / 8.0 + kLaneFloats + 3.0;
  return 1.01 * additions * kUnitRoundoff;
}

}  // namespace diarize
