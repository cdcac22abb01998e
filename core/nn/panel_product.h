#pragma once

#include "core/nn/precision.h"

#include <cstdint>
#include <span>
#include <vector>

namespace diarize::nn {

// Products of rows with a matrix of weights, for shapes known only at run
// time: linear layers, and convolutions over values stored with the channels
// last, whose receptive fields are a few runs of contiguous values.
//
// Weights are packed once in panels of 32 columns. A tile of up to 14 rows
// times one panel is held in registers while the inputs go by (Goto and van de
// Geijn 2008, "Anatomy of High-Performance Matrix Multiplication", without its
// packing of the left side). A result is summed up input by input, whatever
// the number of rows and the place of its row: so it is the same bits in every
// batch. Nothing is compiled or prepared for a shape. About 90 % of the
// float32 peak with AVX-512.
//
// A matrix of bfloat16 rounds its inputs on the way, 32 rows at a time, and
// multiplies by bfloat_tile.h; bias, sums and outputs stay float32. With
// kBfloat16x3 inputs x and weights w are split in two, x = xh + xl, and the
// product is xh wh + xl wh + xh wl (Henry, Tang and Heinecke 2019, "Leveraging
// the bfloat16 Artificial Intelligence Datatype For Higher-Precision
// Computations"). Both only where available_precisions() has kBfloat16.

// Where the inputs of a run are: row r has its values at first + r * stride.
struct RowsIn {
  const float* first = nullptr;
  std::int64_t stride = 0;
};

struct RowsOut {
  float* first = nullptr;
  std::int64_t stride = 0;
};

// A matrix of weights. Immutable, so threads may share it.
class PanelMatrix {
 public:
  static constexpr int kPanelColumns = 32;

  PanelMatrix() = default;

  // weights: (num_outputs, num_inputs) row-major, num_outputs a multiple of
  // 32, else std::logic_error; bias: (num_outputs), or empty for none.
  // runs: the lengths of the runs that the inputs consist of, in order; they
  // add up to num_inputs. A matrix with a run that is no multiple of 32 is
  // kept in float32 whatever the precision.
  PanelMatrix(std::span<const float> weights, std::span<const float> bias,
              std::vector<std::int64_t> runs,
              Precision precision = Precision::kFloat32);

  [[nodiscard]] std::int64_t num_outputs() const {
    return static_cast<std::int64_t>(bias_.size());
  }
  [[nodiscard]] const std::vector<std::int64_t>& runs() const { return runs_; }
  // Weights of panel p: (num_inputs, 32), or as BfloatTile has them; its bias:
  // (32).
  [[nodiscard]] const float* panel(std::int64_t p) const;
  [[nodiscard]] const std::uint16_t* bfloat_panel(std::int64_t p) const;
  [[nodiscard]] const float* bias(std::int64_t p) const;
  [[nodiscard]] bool has_bias() const { return has_bias_; }
  [[nodiscard]] Precision precision() const { return precision_; }

 private:
  // A line of the cache, so that no load of weights touches two.
  template <typename Value>
  struct alignas(64) Line {
    Value values[64 / sizeof(Value)];
  };

  void pack(std::span<const float> weights);
  void pack_bfloat(std::span<const float> weights);
  std::uint16_t* pack_pairs(const std::uint16_t* from, std::uint16_t* to) const;

  std::vector<std::int64_t> runs_;
  std::int64_t num_inputs_ = 0;
  Precision precision_ = Precision::kFloat32;
  std::vector<Line<float>> panels_;
  std::vector<Line<std::uint16_t>> bfloat_panels_;
  std::vector<float> bias_;
  bool has_bias_ = false;
};

// out(r, :) = f(matrix * inputs(r) + bias + add(r, :)), where f is a ReLU or
// nothing and `add` may be left out or be `out` itself.
// inputs: one a run of the matrix.
void multiply(const PanelMatrix& matrix, std::span<const RowsIn> inputs,
              std::int64_t num_rows, bool relu, const RowsOut& out,
              const RowsIn& add = {});

}  // namespace diarize::nn
