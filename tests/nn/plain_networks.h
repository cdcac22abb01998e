#pragma once

#include "tests/nn/network_weights.h"

#include <ATen/core/Tensor.h>

namespace diarize::test {

// The networks written with torch's plain operators, as their authors do:
// what the packed, folded and fused forms are compared with.

// (batch, 160000) samples -> (batch, 60, 589).
[[nodiscard]] at::Tensor plain_sincnet(const NamedWeights& weights,
                                       const at::Tensor& samples);

// (batch, 160000) samples -> (batch, 589, 7) log-probabilities.
[[nodiscard]] at::Tensor plain_pyannet(const NamedWeights& weights,
                                       const at::Tensor& samples);

// (batch, rows, 80) features, mean subtracted -> (batch, 192).
[[nodiscard]] at::Tensor plain_campplus(const NamedWeights& weights,
                                        const at::Tensor& features);

}  // namespace diarize::test
