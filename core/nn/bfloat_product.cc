#include "core/nn/bfloat_product.h"

#include "core/nn/bfloat_tile.h"

#include <algorithm>
#include <vector>

namespace diarize::nn {
namespace {

constexpr std::int64_t kRows = kBfloatTileRows;
constexpr std::int64_t kColumns = kBfloatTileColumns;
// Between rounded rows that lie apart: not a multiple of a page, see campplus.
constexpr std::int64_t kGap = 32;

// Inputs of a block of rows, rounded, or split in two.
class RoundedRows {
 public:
  RoundedRows(std::span<const std::int64_t> runs, bool split)
      : runs_(runs), split_(split) {}

  [[nodiscard]] std::span<const BfloatRows> round(
      std::span<const RowsIn> inputs, std::int64_t row, std::int64_t num_rows) {
    const std::size_t size = needed(inputs, num_rows);
    values_.resize(split_ ? 2 * size : size);
    to_low_ = split_ ? static_cast<std::int64_t>(size) : 0;
    rows_.clear();
    std::uint16_t* next = values_.data();
    for (std::size_t run = 0; run < inputs.size(); ++run) {
      next = round_run(inputs[run], runs_[run], row, num_rows, next);
    }
    return rows_;
  }
  // From a high part to its low part; 0: not split.
  [[nodiscard]] std::int64_t to_low() const { return to_low_; }

 private:
  // Rows that overlap or touch are one span.
  [[nodiscard]] static bool is_span(const RowsIn& in, std::int64_t length) {
    return in.stride <= length;
  }

  [[nodiscard]] std::size_t needed(std::span<const RowsIn> inputs,
                                   std::int64_t num_rows) const {
    std::int64_t total = 0;
    for (std::size_t run = 0; run < inputs.size(); ++run) {
      const std::int64_t distance =
          std::min(inputs[run].stride, runs_[run] + kGap);
      total += (num_rows - 1) * distance + runs_[run] + kGap;
    }
    return static_cast<std::size_t>(total);
  }

  void round_values(std::span<const float> in, std::uint16_t* to) const {
    split_ ? split_bfloat16(in, to, to + to_low_) : to_bfloat16(in, to);
  }

  std::uint16_t* round_run(const RowsIn& in, std::int64_t length,
                           std::int64_t row, std::int64_t num_rows,
                           std::uint16_t* to) {
    const float* first = in.first + row * in.stride;
    const auto size = [](std::int64_t n) {
      return static_cast<std::size_t>(n);
    };
    if (is_span(in, length)) {
      const std::int64_t all = (num_rows - 1) * in.stride + length;
      round_values({first, size(all)}, to);
      rows_.push_back({to, in.stride});
      return to + all;
    }
    const std::int64_t distance = std::min(in.stride, length + kGap);
    for (std::int64_t r = 0; r < num_rows; ++r) {
      round_values({first + r * in.stride, size(length)}, to + r * distance);
    }
    rows_.push_back({to, distance});
    return to + (num_rows - 1) * distance + length;
  }

  std::span<const std::int64_t> runs_;
  bool split_;
  std::int64_t to_low_ = 0;
  std::vector<std::uint16_t> values_;
  std::vector<BfloatRows> rows_;
};

struct Epilogue {
  const float* sums;  // (num_rows, num_columns)
  std::int64_t num_rows;
  std::int64_t num_columns;
  const float* bias;
  const float* add;  // null: none
  std::int64_t add_stride;
  bool relu;
  float* out;
  std::int64_t out_stride;
};

[[gnu::target("avx512f,prefer-vector-width=512")]] void finish(
    const Epilogue& e) {
  for (std::int64_t r = 0; r < e.num_rows; ++r) {
    const float* sums = e.sums + r * e.num_columns;
    float* out = e.out + r * e.out_stride;
#pragma GCC ivdep
    for (std::int64_t c = 0; c < e.num_columns; ++c) {
      float value = sums[c] + e.bias[c];
      if (e.add != nullptr) value += e.add[r * e.add_stride + c];
      out[c] = e.relu && value < 0.0F ? 0.0F : value;
    }
  }
}

}  // namespace

void multiply_bfloat(const PanelMatrix& matrix, std::span<const RowsIn> inputs,
                     std::int64_t num_rows, bool relu, const RowsOut& out,
                     const RowsIn& add) {
  RoundedRows rounded(matrix.runs(),
                      matrix.precision() == Precision::kBfloat16x3);
  BfloatTiles tiles;
  alignas(64) float sums[kRows * kColumns];
  const bool plain = !relu && !matrix.has_bias();
  const std::int64_t num_panels = matrix.num_outputs() / kColumns;
  for (std::int64_t row = 0; row < num_rows; row += kRows) {
    const std::int64_t rows = std::min(kRows, num_rows - row);
    const auto in = rounded.round(inputs, row, rows);
    int panels = 1;
    for (std::int64_t p = 0; p < num_panels; p += panels) {
      panels = 2 * rows <= kRows && p + 1 < num_panels ? 2 : 1;
      const float* added = add.first == nullptr
                               ? nullptr
                               : add.first + row * add.stride + p * kColumns;
      float* to = out.first + row * out.stride + p * kColumns;
      BfloatTile tile = {in,
                         matrix.runs().data(),
                         static_cast<int>(rows),
                         matrix.bfloat_panel(p),
                         rounded.to_low(),
                         panels,
                         nullptr,
                         0,
                         sums,
                         panels * kColumns};
      if (plain) {
        tile.add = added;
        tile.add_stride = add.stride;
        tile.sums = to;
        tile.stride = out.stride;
      }
      tiles.multiply(tile);
      if (plain) continue;
      finish({sums, rows, panels * kColumns, matrix.bias(p), added, add.stride,
              relu, to, out.stride});
    }
  }
}

}  // namespace diarize::nn
