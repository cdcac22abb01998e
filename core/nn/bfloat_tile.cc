#include "core/nn/bfloat_tile.h"

#include "core/cpu_level.h"

#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace diarize::nn {
namespace {

constexpr int kAmxRows = 16;
constexpr int kColumns = kBfloatTileColumns;
constexpr int kVectorRows = 8;  // rows at once without AMX
constexpr std::int64_t kStepWeights =
    std::int64_t{kBfloatTileInputs} * kBfloatTileColumns;

// Whether Linux lets this process use the tiles, which it must be asked
// (Documentation/arch/x86/xstate.rst).
bool ask_for_amx() {
  constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long kTileData = 18;               // XFEATURE_XTILEDATA
  return ::syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

bool amx_is_there() {
  static const bool kAllowed = cpu_level() == CpuLevel::kAmx && ask_for_amx();
  return kAllowed && cpu_level() == CpuLevel::kAmx;
}

// The memory of LDTILECFG.
struct alignas(64) TileConfig {
  std::uint8_t palette = 1;
  std::uint8_t start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t bytes_a_row[16] = {};
  std::uint8_t rows[16] = {};
};

// Tiles 0 to 3 hold sums, 4 and 5 rows, 6 and 7 weights.
[[gnu::target("amx-tile")]] void configure(int num_rows) {
  TileConfig config;
  for (int tile = 0; tile < 8; ++tile) {
    config.bytes_a_row[tile] = 64;
    config.rows[tile] = static_cast<std::uint8_t>(tile < 6 ? num_rows : 16);
  }
  // GCC 12 thinks that only the first bytes are read, and leaves out the rest.
  asm volatile("" : : "r"(&config) : "memory");
  _tile_loadconfig(&config);
}

[[gnu::target("amx-tile")]] void release() { _tile_release(); }

// One tile of rows times a panel.
[[gnu::target("amx-tile,amx-bf16"), gnu::noinline]] void run_amx_one(
    const BfloatTile& tile) {
  _tile_zero(0);
  _tile_zero(1);
  const std::uint16_t* weights = tile.panel;
  for (std::size_t run = 0; run < tile.inputs.size(); ++run) {
    const std::uint16_t* in = tile.inputs[run].first;
    const std::int64_t stride = 2 * tile.inputs[run].stride;
    const std::uint16_t* end = in + tile.runs[run];
    for (; in < end; in += kBfloatTileInputs, weights += kStepWeights) {
      _tile_loadd(4, in, stride);
      _tile_loadd(6, weights, 4 * kColumns);
      _tile_loadd(7, weights + kColumns, 4 * kColumns);
      _tile_dpbf16ps(0, 4, 6);
      _tile_dpbf16ps(1, 4, 7);
    }
  }
  _tile_stored(0, tile.sums, 4 * kColumns);
  _tile_stored(1, tile.sums + kColumns / 2, 4 * kColumns);
  asm volatile("" : : : "memory");  // the compiler does not see the stores
}

// Two tiles: the first rows and the last, which may overlap.
[[gnu::target("amx-tile,amx-bf16"), gnu::noinline]] void run_amx_two(
    const BfloatTile& tile) {
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  const std::int64_t last = tile.num_rows - kAmxRows;
  const std::uint16_t* weights = tile.panel;
  for (std::size_t run = 0; run < tile.inputs.size(); ++run) {
    const std::uint16_t* in = tile.inputs[run].first;
    const std::uint16_t* in_last = in + last * tile.inputs[run].stride;
    const std::int64_t stride = 2 * tile.inputs[run].stride;
    const std::uint16_t* end = in + tile.runs[run];
    for (; in < end; in += kBfloatTileInputs, in_last += kBfloatTileInputs,
                     weights += kStepWeights) {
      _tile_loadd(6, weights, 4 * kColumns);
      _tile_loadd(7, weights + kColumns, 4 * kColumns);
      _tile_loadd(4, in, stride);
      _tile_dpbf16ps(0, 4, 6);
      _tile_dpbf16ps(1, 4, 7);
      _tile_loadd(5, in_last, stride);
      _tile_dpbf16ps(2, 5, 6);
      _tile_dpbf16ps(3, 5, 7);
    }
  }
  float* sums_last = tile.sums + last * kColumns;
  _tile_stored(0, tile.sums, 4 * kColumns);
  _tile_stored(1, tile.sums + kColumns / 2, 4 * kColumns);
  _tile_stored(2, sums_last, 4 * kColumns);
  _tile_stored(3, sums_last + kColumns / 2, 4 * kColumns);
  asm volatile("" : : : "memory");
}

// Some rows from `row` on, by AVX-512 with bfloat16.
template <int kRows>
[[gnu::target("avx512f,avx512bf16")]] void run_vectors(const BfloatTile& tile,
                                                       std::int64_t row) {
  __m512 sums[kRows][2];
  for (auto& sum : sums) sum[0] = sum[1] = _mm512_setzero_ps();
  const std::uint16_t* weights = tile.panel;
  for (std::size_t run = 0; run < tile.inputs.size(); ++run) {
    const std::int64_t stride = tile.inputs[run].stride;
    const std::uint16_t* in = tile.inputs[run].first + row * stride;
    for (std::int64_t k = 0; k < tile.runs[run];
         k += 2, weights += 2 * kColumns) {
      const auto low = (__m512bh)_mm512_loadu_si512(weights);
      const auto high = (__m512bh)_mm512_loadu_si512(weights + kColumns);
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) {
        int pair = 0;
        std::memcpy(&pair, in + r * stride + k, sizeof pair);
        const auto x = (__m512bh)_mm512_set1_epi32(pair);
        sums[r][0] = _mm512_dpbf16_ps(sums[r][0], x, low);
        sums[r][1] = _mm512_dpbf16_ps(sums[r][1], x, high);
      }
    }
  }
  for (int r = 0; r < kRows; ++r) {
    float* out = tile.sums + (row + r) * kColumns;
    _mm512_storeu_ps(out, sums[r][0]);
    _mm512_storeu_ps(out + kColumns / 2, sums[r][1]);
  }
}

[[gnu::target("avx512f,avx512bf16")]] void round_values(const float* in,
                                                        std::int64_t size,
                                                        std::uint16_t* out) {
  constexpr std::int64_t kLanes = 16;
  std::int64_t i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    const __m256bh rounded = _mm512_cvtneps_pbh(_mm512_loadu_ps(in + i));
    std::memcpy(out + i, &rounded, sizeof rounded);
  }
  if (i == size) return;
  const auto rest = static_cast<__mmask16>((1U << (size - i)) - 1U);
  const __m256bh rounded =
      _mm512_cvtneps_pbh(_mm512_maskz_loadu_ps(rest, in + i));
  std::memcpy(out + i, &rounded, 2 * static_cast<std::size_t>(size - i));
}

}  // namespace

void to_bfloat16(std::span<const float> in, std::uint16_t* out) {
  round_values(in.data(), static_cast<std::int64_t>(in.size()), out);
}

BfloatTiles::BfloatTiles() : has_amx_(amx_is_there()) {}

BfloatTiles::~BfloatTiles() {
  if (configured_rows_ > 0) release();
}

void BfloatTiles::multiply(const BfloatTile& tile) {
  if (has_amx_) {
    const int rows = std::min(tile.num_rows, kAmxRows);
    if (rows != configured_rows_) configure(rows);
    configured_rows_ = rows;
    tile.num_rows > kAmxRows ? run_amx_two(tile) : run_amx_one(tile);
    return;
  }
  std::int64_t row = 0;
  for (; row + kVectorRows <= tile.num_rows; row += kVectorRows) {
    run_vectors<kVectorRows>(tile, row);
  }
  for (; row < tile.num_rows; ++row) run_vectors<1>(tile, row);
}

}  // namespace diarize::nn
