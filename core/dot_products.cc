#include "core/dot_products.h"

#include "core/cpu_level.h"

#include <array>
#include <cmath>
#include <stdexcept>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace diarize {
namespace {

constexpr std::size_t kLanes = 8;

using Lanes = std::array<double, kLanes>;
using DotFunction = double (*)(const double* a, const double* b,
                               std::size_t size);

// The one order in which the partial sums are added.
double add_lanes(const Lanes& sums) {
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) +
         ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

// Adds the products from `begin` on, which are fewer than kLanes.
double add_tail(Lanes sums, const double* a, const double* b, std::size_t begin,
                std::size_t size) {
  for (std::size_t i = begin; i < size; ++i) {
    sums[i - begin] = std::fma(a[i], b[i], sums[i - begin]);
  }
  return add_lanes(sums);
}

double dot_portable(const double* a, const double* b, std::size_t size) {
  Lanes sums{};
  std::size_t i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      sums[lane] = std::fma(a[i + lane], b[i + lane], sums[lane]);
    }
  }
  return add_tail(sums, a, b, i, size);
}

#if defined(__x86_64__)

__attribute__((target("avx2,fma"))) double dot_avx2(const double* a,
                                                    const double* b,
                                                    std::size_t size) {
  __m256d low = _mm256_setzero_pd();
  __m256d high = _mm256_setzero_pd();
  std::size_t i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    low = _mm256_fmadd_pd(_mm256_loadu_pd(a + i), _mm256_loadu_pd(b + i), low);
    high = _mm256_fmadd_pd(_mm256_loadu_pd(a + i + 4),
                           _mm256_loadu_pd(b + i + 4), high);
  }
  Lanes sums;
  _mm256_storeu_pd(sums.data(), low);
  _mm256_storeu_pd(sums.data() + 4, high);
  return add_tail(sums, a, b, i, size);
}

__attribute__((target("avx512f"))) double dot_avx512(const double* a,
                                                     const double* b,
                                                     std::size_t size) {
  __m512d all = _mm512_setzero_pd();
  std::size_t i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    all = _mm512_fmadd_pd(_mm512_loadu_pd(a + i), _mm512_loadu_pd(b + i), all);
  }
  Lanes sums;
  _mm512_storeu_pd(sums.data(), all);
  return add_tail(sums, a, b, i, size);
}

#endif

DotFunction widest_dot() {
#if defined(__x86_64__)
  return choose<DotFunction>(dot_portable, dot_avx2, dot_avx512);
#else
  return dot_portable;
#endif
}

// Throws if two vectors cannot be multiplied.
void check_lengths(std::size_t a, std::size_t b) {
  if (a != b) throw std::logic_error("dot: the vectors differ in length");
}

}  // namespace

double dot(std::span<const double> a, std::span<const double> b) {
  check_lengths(a.size(), b.size());
  return widest_dot()(a.data(), b.data(), a.size());
}

void dot_rows(std::span<const double> x, const Array<double, 2>& rows,
              std::span<double> products) {
  check_lengths(x.size(), rows.size(1));
  const DotFunction product = widest_dot();
  for (std::size_t row = 0; row < rows.size(0); ++row) {
    products[row] = product(x.data(), rows.row(row).data(), x.size());
  }
}

Nearest nearest_row(std::span<const double> x, const Array<double, 2>& rows) {
  check_lengths(x.size(), rows.size(1));
  const DotFunction product = widest_dot();
  Nearest best;
  for (std::size_t row = 0; row < rows.size(0); ++row) {
    const double value = product(x.data(), rows.row(row).data(), x.size());
    if (row == 0 || value > best.product) best = {row, value};
  }
  return best;
}

}  // namespace diarize
