#include "core/nn/bfloat_tile.h"

#include "core/cpu_level.h"

#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <numeric>

namespace diarize::nn {
namespace {

constexpr int kAmxRows = 16;
constexpr int kAmxColumns = 16;
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

// Weights of a panel, with their low parts.
std::int64_t panel_weights(const BfloatTile& tile) {
  const std::int64_t inputs = std::accumulate(
      tile.runs, tile.runs + tile.inputs.size(), std::int64_t{});
  return (tile.to_low == 0 ? 1 : 2) * inputs * kColumns;
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

// Tiles 0 and 1 hold the sums of 32 columns from `first` on, 2 and 3 those that
// lie `apart` from them.
[[gnu::target("amx-tile"), gnu::always_inline]] inline void begin_sums(
    const float* first, std::int64_t apart, std::int64_t stride) {
  if (first == nullptr) {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    return;
  }
  _tile_loadd(0, first, 4 * stride);
  _tile_loadd(1, first + kAmxColumns, 4 * stride);
  _tile_loadd(2, first + apart, 4 * stride);
  _tile_loadd(3, first + apart + kAmxColumns, 4 * stride);
}

// Stores the four, or only the first two.
template <bool kAll>
[[gnu::target("amx-tile"), gnu::always_inline]] inline void end_sums(
    float* first, std::int64_t apart, std::int64_t stride) {
  _tile_stored(0, first, 4 * stride);
  _tile_stored(1, first + kAmxColumns, 4 * stride);
  if constexpr (kAll) {
    _tile_stored(2, first + apart, 4 * stride);
    _tile_stored(3, first + apart + kAmxColumns, 4 * stride);
  }
  // GCC does not see that loads of tiles read memory: so that no store is moved
  // past them.
  asm volatile("" : : : "memory");
}

// Adds 32 inputs of a tile of rows times a panel to the sums 0 and 1 and, if
// kWide, times the panel behind to the sums 2 and 3. A product waits for the
// one before it on the same sums, which takes as long as four products: four
// sums keep the unit busy.
template <bool kWide>
[[gnu::target("amx-tile,amx-bf16"), gnu::always_inline]] inline void add_few(
    const std::uint16_t* in, std::int64_t stride, const std::uint16_t* weights,
    std::int64_t to_panel) {
  _tile_loadd(4, in, stride);
  _tile_loadd(6, weights, 4 * kColumns);
  _tile_dpbf16ps(0, 4, 6);
  _tile_loadd(7, weights + kColumns, 4 * kColumns);
  _tile_dpbf16ps(1, 4, 7);
  if constexpr (kWide) {
    _tile_loadd(6, weights + to_panel, 4 * kColumns);
    _tile_dpbf16ps(2, 4, 6);
    _tile_loadd(7, weights + to_panel + kColumns, 4 * kColumns);
    _tile_dpbf16ps(3, 4, 7);
  }
}

// Adds 32 inputs of two tiles of rows times the weights in tiles 6 and 7.
[[gnu::target("amx-tile,amx-bf16"), gnu::always_inline]] inline void add_two(
    const std::uint16_t* in, const std::uint16_t* in_last,
    std::int64_t stride) {
  _tile_loadd(4, in, stride);
  _tile_dpbf16ps(0, 4, 6);
  _tile_dpbf16ps(1, 4, 7);
  _tile_loadd(5, in_last, stride);
  _tile_dpbf16ps(2, 5, 6);
  _tile_dpbf16ps(3, 5, 7);
}

[[gnu::target("amx-tile"), gnu::always_inline]] inline void load_weights(
    const std::uint16_t* weights) {
  _tile_loadd(6, weights, 4 * kColumns);
  _tile_loadd(7, weights + kColumns, 4 * kColumns);
}

// One tile of rows times a panel, or two of them. With one the sums 2 and 3 are
// set and not used.
template <bool kSplit, bool kWide>
[[gnu::target("amx-tile,amx-bf16"), gnu::noinline]] void run_amx_few(
    const BfloatTile& tile) {
  begin_sums(tile.add, kWide ? kColumns : 0, tile.add_stride);
  const std::int64_t to_panel = kWide ? panel_weights(tile) : 0;
  const std::uint16_t* weights = tile.panel;
  for (std::size_t run = 0; run < tile.inputs.size(); ++run) {
    const std::uint16_t* in = tile.inputs[run].first;
    const std::int64_t stride = 2 * tile.inputs[run].stride;
    const std::uint16_t* end = in + tile.runs[run];
    for (; in < end; in += kBfloatTileInputs, weights += kStepWeights) {
      add_few<kWide>(in, stride, weights, to_panel);
      if constexpr (kSplit) {
        add_few<kWide>(in + tile.to_low, stride, weights, to_panel);
        weights += kStepWeights;
        add_few<kWide>(in, stride, weights, to_panel);
      }
    }
  }
  end_sums<kWide>(tile.sums, kColumns, tile.stride);
}

// Two tiles: the first rows and the last, which may overlap.
template <bool kSplit>
[[gnu::target("amx-tile,amx-bf16"), gnu::noinline]] void run_amx_two(
    const BfloatTile& tile) {
  const std::int64_t last = tile.num_rows - kAmxRows;
  begin_sums(tile.add, last * tile.add_stride, tile.add_stride);
  const std::uint16_t* weights = tile.panel;
  for (std::size_t run = 0; run < tile.inputs.size(); ++run) {
    const std::uint16_t* in = tile.inputs[run].first;
    const std::int64_t to_last = last * tile.inputs[run].stride;
    const std::int64_t stride = 2 * tile.inputs[run].stride;
    const std::uint16_t* end = in + tile.runs[run];
    for (; in < end; in += kBfloatTileInputs, weights += kStepWeights) {
      load_weights(weights);
      add_two(in, in + to_last, stride);
      if constexpr (kSplit) {
        const std::uint16_t* low = in + tile.to_low;
        add_two(low, low + to_last, stride);
        weights += kStepWeights;
        load_weights(weights);
        add_two(in, in + to_last, stride);
      }
    }
  }
  end_sums<true>(tile.sums, last * tile.stride, tile.stride);
}

template <bool kSplit>
void run_amx(const BfloatTile& tile) {
  if (tile.num_rows > kAmxRows) {
    run_amx_two<kSplit>(tile);
  } else if (tile.num_panels == 2) {
    run_amx_few<kSplit, true>(tile);
  } else {
    run_amx_few<kSplit, false>(tile);
  }
}

// Adds a pair of inputs of some rows times the weights of a panel.
template <int kRows>
[[gnu::target("avx512f,avx512bf16"), gnu::always_inline]] inline void add_pair(
    const std::uint16_t* in, std::int64_t stride, const std::uint16_t* weights,
    __m512 (&sums)[kRows][2]) {
  const auto low = (__m512bh)_mm512_loadu_si512(weights);
  const auto high = (__m512bh)_mm512_loadu_si512(weights + kColumns);
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    int pair = 0;
    std::memcpy(&pair, in + r * stride, sizeof pair);
    const auto x = (__m512bh)_mm512_set1_epi32(pair);
    sums[r][0] = _mm512_dpbf16_ps(sums[r][0], x, low);
    sums[r][1] = _mm512_dpbf16_ps(sums[r][1], x, high);
  }
}

// Some rows from `row` on times panel `p`, whose weights are given, by AVX-512
// with bfloat16.
template <int kRows>
[[gnu::target("avx512f,avx512bf16")]] void run_vectors(
    const BfloatTile& tile, std::int64_t row, int p,
    const std::uint16_t* weights) {
  __m512 sums[kRows][2];
  for (int r = 0; r < kRows; ++r) {
    sums[r][0] = sums[r][1] = _mm512_setzero_ps();
    if (tile.add == nullptr) continue;
    const float* add = tile.add + (row + r) * tile.add_stride + p * kColumns;
    sums[r][0] = _mm512_loadu_ps(add);
    sums[r][1] = _mm512_loadu_ps(add + kAmxColumns);
  }
  for (std::size_t run = 0; run < tile.inputs.size(); ++run) {
    const std::int64_t stride = tile.inputs[run].stride;
    const std::uint16_t* in = tile.inputs[run].first + row * stride;
    const std::uint16_t* end = in + tile.runs[run];
    while (in < end) {
      for (int k = 0; k < kBfloatTileInputs; k += 2, in += 2) {
        add_pair<kRows>(in, stride, weights, sums);
        if (tile.to_low != 0) {
          add_pair<kRows>(in + tile.to_low, stride, weights, sums);
          add_pair<kRows>(in, stride, weights + kStepWeights, sums);
        }
        weights += 2 * kColumns;
      }
      if (tile.to_low != 0) weights += kStepWeights;
    }
  }
  for (int r = 0; r < kRows; ++r) {
    float* out = tile.sums + (row + r) * tile.stride + p * kColumns;
    _mm512_storeu_ps(out, sums[r][0]);
    _mm512_storeu_ps(out + kAmxColumns, sums[r][1]);
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

// Masked forms throughout: GCC 12 takes the others for uninitialised.
[[gnu::target("avx512f,avx512bw,avx512vl,avx512bf16")]] void split_values(
    std::span<const float> in, std::uint16_t* high, std::uint16_t* low) {
  constexpr std::size_t kLanes = 16;
  constexpr int kLostBits = 16;
  for (std::size_t i = 0; i < in.size(); i += kLanes) {
    const std::size_t lanes = std::min(kLanes, in.size() - i);
    const auto some = static_cast<__mmask16>((1U << lanes) - 1U);
    const __m512 values = _mm512_maskz_loadu_ps(some, in.data() + i);
    const auto rounded = (__m256i)_mm512_cvtneps_pbh(values);
    const __m512i bits = _mm512_maskz_slli_epi32(
        some, _mm512_maskz_cvtepu16_epi32(some, rounded), kLostBits);
    const __m512 rest = _mm512_sub_ps(values, _mm512_castsi512_ps(bits));
    _mm256_mask_storeu_epi16(high + i, some, rounded);
    _mm256_mask_storeu_epi16(low + i, some, (__m256i)_mm512_cvtneps_pbh(rest));
  }
}

}  // namespace

bool has_amx() {
  // Asked once, and only where it may be used.
  if (cpu_level() != CpuLevel::kAmx) return false;
  static const bool kAllowed = ask_for_amx();
  return kAllowed;
}

void to_bfloat16(std::span<const float> in, std::uint16_t* out) {
  round_values(in.data(), static_cast<std::int64_t>(in.size()), out);
}

void split_bfloat16(std::span<const float> in, std::uint16_t* high,
                    std::uint16_t* low) {
  split_values(in, high, low);
}

BfloatTiles::BfloatTiles() : has_amx_(has_amx()) {}

BfloatTiles::~BfloatTiles() {
  if (configured_rows_ > 0) release();
}

void BfloatTiles::multiply(const BfloatTile& tile) {
  if (has_amx_) {
    const int rows = std::min(tile.num_rows, kAmxRows);
    if (rows != configured_rows_) configure(rows);
    configured_rows_ = rows;
    tile.to_low == 0 ? run_amx<false>(tile) : run_amx<true>(tile);
    return;
  }
  for (int p = 0; p < tile.num_panels; ++p) {
    const std::uint16_t* panel =
        tile.panel + (p == 0 ? 0 : p * panel_weights(tile));
    std::int64_t row = 0;
    for (; row + kVectorRows <= tile.num_rows; row += kVectorRows) {
      run_vectors<kVectorRows>(tile, row, p, panel);
    }
    for (; row < tile.num_rows; ++row) run_vectors<1>(tile, row, p, panel);
  }
}

}  // namespace diarize::nn
