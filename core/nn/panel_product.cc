#include "core/nn/panel_product.h"

#include "core/cpu_level.h"
#include "core/nn/bfloat_product.h"
#include "core/nn/bfloat_tile.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace diarize::nn {
namespace {

constexpr int kColumns = PanelMatrix::kPanelColumns;
constexpr int kMostRows = 14;  // of a tile, on any processor
constexpr int kAhead = 64;     // inputs that weights are fetched ahead

// One tile: some rows times one panel.
struct Tile {
  std::span<const RowsIn> inputs;
  const std::int64_t* runs;
  std::int64_t row;
  const float* panel;
  const float* bias;
  float* out;
  std::int64_t out_stride;
  const float* add;  // null: none
  std::int64_t add_stride;
  bool relu;
};
using RunTile = void (*)(const Tile&);

// Vectors of kBytes are GCC's, so that one text serves every processor; all
// loops over rows and vectors are unrolled and `sums` lives in registers.
template <int kBytes, int kRows>
[[gnu::always_inline]] inline void run_tile(const Tile& tile) {
  typedef float Vector  // NOLINT(modernize-use-using): for the attributes
      __attribute__((vector_size(kBytes), aligned(4), may_alias));
  constexpr int kVectors = kColumns * static_cast<int>(sizeof(float)) / kBytes;
  // Vectors are read through pointers: functions that return them would have
  // another calling convention on each processor.
  using In = const Vector*;
  Vector sums[kRows][kVectors];
#pragma GCC unroll 14
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) {
      sums[r][v] = reinterpret_cast<In>(tile.bias)[v];
    }
  }
  const float* weights = tile.panel;
  for (std::size_t run = 0; run < tile.inputs.size(); ++run) {
    const std::int64_t stride = tile.inputs[run].stride;
    const float* in = tile.inputs[run].first + tile.row * stride;
    const std::int64_t length = tile.runs[run];
    for (std::int64_t k = 0; k < length; ++k, weights += kColumns) {
      // Panels lie one behind the other, and the processor's own prefetching
      // stops at each page. Behind the last panel nothing is read.
      __builtin_prefetch(weights + kAhead * kColumns);
      __builtin_prefetch(weights + kAhead * kColumns + kColumns / 2);
      Vector w[kVectors];
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) {
        w[v] = reinterpret_cast<In>(weights)[v];
      }
#pragma GCC unroll 14
      for (int r = 0; r < kRows; ++r) {
        const float x = in[r * stride + k];
#pragma GCC unroll 8
        for (int v = 0; v < kVectors; ++v) sums[r][v] += x * w[v];
      }
    }
  }
#pragma GCC unroll 14
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) {
      Vector value = sums[r][v];
      if (tile.add != nullptr) {
        value += reinterpret_cast<In>(tile.add + r * tile.add_stride)[v];
      }
      const Vector zero{};
      if (tile.relu) value = value > zero ? value : zero;
      reinterpret_cast<Vector*>(tile.out + r * tile.out_stride)[v] = value;
    }
  }
}

// The same tile compiled for each level of processor. More rows than fill the
// registers gain nothing.
template <int kRows>
void run_baseline(const Tile& tile) {
  run_tile<16, kRows>(tile);
}
template <int kRows>
[[gnu::target("avx2,fma")]] void run_avx2(const Tile& tile) {
  run_tile<32, kRows>(tile);
}
template <int kRows>
[[gnu::target(
    "avx512f,avx512bw,avx512dq,avx512vl,fma,"
    "prefer-vector-width=512")]] void
run_avx512(const Tile& tile) {
  run_tile<64, kRows>(tile);
}

// Tiles of 1, 2, ... most_rows rows.
struct Tiles {
  int most_rows;
  std::array<RunTile, kMostRows> run;
};

template <std::size_t... kIndex>
constexpr Tiles avx512_tiles(std::index_sequence<kIndex...>) {
  return {kMostRows, {run_avx512<kIndex + 1>...}};
}

constexpr Tiles kBaselineTiles = {1, {run_baseline<1>}};
constexpr Tiles kAvx2Tiles = {3, {run_avx2<1>, run_avx2<2>, run_avx2<3>}};
constexpr Tiles kAvx512Tiles =
    avx512_tiles(std::make_index_sequence<kMostRows>());

bool fills_bfloat_tiles(std::int64_t run) {
  return run % kBfloatTileInputs == 0;
}

}  // namespace

PanelMatrix::PanelMatrix(std::span<const float> weights,
                         std::span<const float> bias,
                         std::vector<std::int64_t> runs, Precision precision)
    : runs_(std::move(runs)),
      num_inputs_(std::accumulate(runs_.begin(), runs_.end(), std::int64_t{})),
      precision_(std::ranges::all_of(runs_, fills_bfloat_tiles)
                     ? precision
                     : Precision::kFloat32) {
  const auto size = static_cast<std::int64_t>(weights.size());
  const std::int64_t outputs = num_inputs_ == 0 ? 0 : size / num_inputs_;
  if (outputs == 0 || outputs % kColumns != 0 ||
      outputs * num_inputs_ != size) {
    throw std::logic_error("PanelMatrix: a multiple of 32 outputs expected");
  }
  has_bias_ = !bias.empty();
  bias_.assign(bias.begin(), bias.end());
  bias_.resize(static_cast<std::size_t>(outputs));
  precision_ == Precision::kFloat32 ? pack(weights) : pack_bfloat(weights);
}

void PanelMatrix::pack(std::span<const float> weights) {
  panels_.resize(weights.size() * sizeof(float) / sizeof(panels_[0]));
  float* packed = panels_.front().values;
  for (std::int64_t first = 0; first < num_outputs(); first += kColumns) {
    for (std::int64_t k = 0; k < num_inputs_; ++k) {
      for (int column = 0; column < kColumns; ++column) {
        *packed++ = weights[(first + column) * num_inputs_ + k];
      }
    }
  }
}

// Of each panel, pairs of inputs: (num_inputs / 2, kColumns, 2); of split
// weights the low parts behind every kBfloatTileInputs inputs.
void PanelMatrix::pack_bfloat(std::span<const float> weights) {
  std::vector<std::uint16_t> high(weights.size());
  std::vector<std::uint16_t> low(weights.size());
  split_bfloat16(weights, high.data(), low.data());
  std::vector<const std::uint16_t*> parts = {high.data()};
  if (precision_ == Precision::kBfloat16x3) parts.push_back(low.data());
  bfloat_panels_.resize(parts.size() * weights.size() * sizeof(std::uint16_t) /
                        sizeof(bfloat_panels_[0]));
  std::uint16_t* packed = bfloat_panels_.front().values;
  for (std::int64_t first = 0; first < num_outputs(); first += kColumns) {
    for (std::int64_t begin = 0; begin < num_inputs_;
         begin += kBfloatTileInputs) {
      for (const std::uint16_t* part : parts) {
        packed = pack_pairs(part + first * num_inputs_ + begin, packed);
      }
    }
  }
}

// (kBfloatTileInputs / 2, kColumns, 2) of the rows from `from` on.
std::uint16_t* PanelMatrix::pack_pairs(const std::uint16_t* from,
                                       std::uint16_t* to) const {
  for (std::int64_t k = 0; k < kBfloatTileInputs; k += 2) {
    for (int column = 0; column < kColumns; ++column) {
      *to++ = from[column * num_inputs_ + k];
      *to++ = from[column * num_inputs_ + k + 1];
    }
  }
  return to;
}

const std::uint16_t* PanelMatrix::bfloat_panel(std::int64_t p) const {
  const std::int64_t parts = precision_ == Precision::kBfloat16x3 ? 2 : 1;
  return bfloat_panels_.front().values + p * parts * num_inputs_ * kColumns;
}

const float* PanelMatrix::panel(std::int64_t p) const {
  return panels_.front().values + p * num_inputs_ * kColumns;
}

const float* PanelMatrix::bias(std::int64_t p) const {
  return bias_.data() + p * kColumns;
}

void multiply(const PanelMatrix& matrix, std::span<const RowsIn> inputs,
              std::int64_t num_rows, bool relu, const RowsOut& out,
              const RowsIn& add) {
  if (inputs.size() != matrix.runs().size()) {
    throw std::logic_error("multiply: one input a run expected");
  }
  if (matrix.precision() != Precision::kFloat32) {
    multiply_bfloat(matrix, inputs, num_rows, relu, out, add);
    return;
  }
  const Tiles& kernels = *choose(&kBaselineTiles, &kAvx2Tiles, &kAvx512Tiles);
  const std::int64_t num_tiles =
      (num_rows + kernels.most_rows - 1) / kernels.most_rows;
  for (std::int64_t p = 0; p * kColumns < matrix.num_outputs(); ++p) {
    // Tiles of nearly equal height keep the registers full.
    for (std::int64_t index = 0; index < num_tiles; ++index) {
      const std::int64_t row = num_rows * index / num_tiles;
      const std::int64_t end = num_rows * (index + 1) / num_tiles;
      const float* added = add.first == nullptr
                               ? nullptr
                               : add.first + row * add.stride + p * kColumns;
      kernels.run[end - row - 1]({inputs, matrix.runs().data(), row,
                                  matrix.panel(p), matrix.bias(p),
                                  out.first + row * out.stride + p * kColumns,
                                  out.stride, added, add.stride, relu});
    }
  }
}

}  // namespace diarize::nn
