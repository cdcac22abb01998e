#pragma once

#include "core/nn/panel_product.h"

#include <cstdint>
#include <span>

namespace diarize::nn {

// multiply() of panel_product.h for a matrix of bfloat16: up to 32 rows of
// inputs are rounded or split, then multiplied with one panel after the other,
// up to 16 rows with two at once. Values that several rows or taps have in
// common are rounded once. Without a bias and ReLU, sums begin with `add` and
// go right into `out`.
void multiply_bfloat(const PanelMatrix& matrix, std::span<const RowsIn> inputs,
                     std::int64_t num_rows, bool relu, const RowsOut& out,
                     const RowsIn& add);

}  // namespace diarize::nn
