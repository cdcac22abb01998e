#include "core/clustering/product_tile.h"

#include "core/cpu_level.h"
#include "core/large_pages.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace diarize {
namespace {

using TileFunction = std::uint32_t (*)(const float*, const float*, std::size_t,
                                       const float*, const float*, float*);

// Inlined into the functions below, each for its instructions.
[[gnu::always_inline]] inline std::uint32_t rows_above(
    const float* products, const float* row_limits,
    const float* column_limits) {
  std::uint32_t rows = 0;
  for (std::size_t row = 0; row < kTileRows; ++row) {
    const float* values = products + row * kTileColumns;
    const float limit = row_limits[row];
    int above = 0;
    for (std::size_t column = 0; column < kTileColumns; ++column) {
      above |= static_cast<int>(values[column] > limit) |
               static_cast<int>(values[column] > column_limits[column]);
    }
    rows |= static_cast<std::uint32_t>(above) << row;
  }
  return rows;
}

std::uint32_t multiply_portable(const float* rows, const float* columns,
                                std::size_t dimension, const float* row_limits,
                                const float* column_limits, float* products) {
  for (std::size_t i = 0; i < kTileRows * kTileColumns; ++i) products[i] = 0;
  for (std::size_t i = 0; i < dimension; ++i) {
    for (std::size_t row = 0; row < kTileRows; ++row) {
      const float value = rows[i * kTileColumns + row];
      const float* others = columns + i * kTileColumns;
      float* sums = products + row * kTileColumns;
      for (std::size_t column = 0; column < kTileColumns; ++column) {
        sums[column] += value * others[column];
      }
    }
  }
  return rows_above(products, row_limits, column_limits);
}

#if defined(__x86_64__)

// Half of the rows by half of the columns: twelve sums in registers.
__attribute__((target("avx2,fma"))) void multiply_quarter(const float* rows,
                                                          const float* columns,
                                                          std::size_t dimension,
                                                          float* products) {
  constexpr std::size_t kRows = kTileRows / 2;
  constexpr std::size_t kVectors = kTileColumns / 16;
  __m256 sums[kRows][kVectors];
  for (auto& row : sums) {
    for (auto& sum : row) sum = _mm256_setzero_ps();
  }
  for (std::size_t i = 0; i < dimension; ++i) {
    const float* others = columns + i * kTileColumns;
    const __m256 a = _mm256_loadu_ps(others);
    const __m256 b = _mm256_loadu_ps(others + 8);
    const __m256 c = _mm256_loadu_ps(others + 16);
#pragma GCC unroll 4
    for (std::size_t row = 0; row < kRows; ++row) {
      const __m256 value = _mm256_broadcast_ss(rows + i * kTileColumns + row);
      sums[row][0] = _mm256_fmadd_ps(value, a, sums[row][0]);
      sums[row][1] = _mm256_fmadd_ps(value, b, sums[row][1]);
      sums[row][2] = _mm256_fmadd_ps(value, c, sums[row][2]);
    }
  }
  for (std::size_t row = 0; row < kRows; ++row) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      _mm256_storeu_ps(products + row * kTileColumns + v * 8, sums[row][v]);
    }
  }
}

__attribute__((target("avx2,fma"))) std::uint32_t multiply_avx2(
    const float* rows, const float* columns, std::size_t dimension,
    const float* row_limits, const float* column_limits, float* products) {
  for (std::size_t row = 0; row < kTileRows; row += kTileRows / 2) {
    for (std::size_t column = 0; column < kTileColumns;
         column += kTileColumns / 2) {
      multiply_quarter(rows + row, columns + column, dimension,
                       products + row * kTileColumns + column);
    }
  }
  return rows_above(products, row_limits, column_limits);
}

__attribute__((target("avx512f"))) std::uint32_t multiply_avx512(
    const float* rows, const float* columns, std::size_t dimension,
    const float* row_limits, const float* column_limits, float* products) {
  constexpr std::size_t kVectors = kTileColumns / 16;
  constexpr std::size_t kAhead = 12;  // elements
  __m512 sums[kTileRows][kVectors];
  for (auto& row : sums) {
    for (auto& sum : row) sum = _mm512_setzero_ps();
  }
  for (std::size_t i = 0; i < dimension; ++i) {
    const float* others = columns + i * kTileColumns;
    // The vectors of a long recording come from memory, and are asked for too
    // late without. At the end this asks for what is behind, which is harmless.
#pragma GCC unroll 3
    for (std::size_t v = 0; v < kVectors; ++v) {
      _mm_prefetch(others + kAhead * kTileColumns + v * 16, _MM_HINT_T0);
    }
    const __m512 a = _mm512_loadu_ps(others);
    const __m512 b = _mm512_loadu_ps(others + 16);
    const __m512 c = _mm512_loadu_ps(others + 32);
#pragma GCC unroll 8
    for (std::size_t row = 0; row < kTileRows; ++row) {
      const __m512 value = _mm512_set1_ps(rows[i * kTileColumns + row]);
      sums[row][0] = _mm512_fmadd_ps(value, a, sums[row][0]);
      sums[row][1] = _mm512_fmadd_ps(value, b, sums[row][1]);
      sums[row][2] = _mm512_fmadd_ps(value, c, sums[row][2]);
    }
  }
  for (std::size_t row = 0; row < kTileRows; ++row) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      _mm512_storeu_ps(products + row * kTileColumns + v * 16, sums[row][v]);
    }
  }
  return rows_above(products, row_limits, column_limits);
}

#endif

TileFunction widest_tile() {
#if defined(__x86_64__)
  return choose<TileFunction>(multiply_portable, multiply_avx2,
                              multiply_avx512);
#else
  return multiply_portable;
#endif
}

}  // namespace

PackedVectors::PackedVectors(const VectorList& vectors)
    : dimension_(vectors.empty() ? 0 : vectors[0].size()),
      num_panels_((vectors.size() + kTileColumns - 1) / kTileColumns),
      values_(zeros_on_large_pages<float>(num_panels_ * kTileColumns *
                                          dimension_)) {
  for (std::size_t v = 0; v < vectors.size(); ++v) set(v, vectors[v], 1.0);
}

void PackedVectors::set(std::size_t index, std::span<const double> vector,
                        double scale) {
  float* first = values_.data() +
                 index / kTileColumns * kTileColumns * dimension_ +
                 index % kTileColumns;
  for (std::size_t i = 0; i < dimension_; ++i) {
    first[i * kTileColumns] = static_cast<float>(scale * vector[i]);
  }
}

std::uint32_t multiply_tile(const float* rows, const float* columns,
                            std::size_t dimension, const float* row_limits,
                            const float* column_limits, float* products) {
  return widest_tile()(rows, columns, dimension, row_limits, column_limits,
                       products);
}

}  // namespace diarize
