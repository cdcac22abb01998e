#pragma once

#include "core/nn/panel_product.h"

#include <cstdint>
#include <span>

namespace diarize::nn {

// The steps of a densely connected time-delay network that lie between its
// products, on (frames, channels) values. Plain loops over the channels, so
// the result for a frame or a piece depends on nothing else.

// out(t, c) = max(in(t, c) * scale(c) + shift(c), 0); `out` may be `in`.
// As many channels as `scale` and `shift` have, a multiple of 32.
void affine_relu(const RowsIn& in, std::int64_t num_frames,
                 std::span<const float> scale, std::span<const float> shift,
                 const RowsOut& out);

// Weights of a context gate (CAM++: Wang et al. 2023, section 2.2):
// sigmoid(second * relu(first * context + first_bias) + second_bias).
struct ContextGate {
  static constexpr int kHidden = 128;   // of the context
  static constexpr int kSqueezed = 64;  // between the two products
  static constexpr int kOutputs = 32;
  static constexpr std::int64_t kSegment = 100;  // frames with one gate

  std::span<const float> first;        // (kHidden, kSqueezed), transposed
  std::span<const float> first_bias;   // (kSqueezed)
  std::span<const float> second;       // (kSqueezed, kOutputs), transposed
  std::span<const float> second_bias;  // (kOutputs)
};

// out(t, :) = local(t, :) * gate of the segment of t, for one piece.
//
// The context of a segment is the mean of `hidden` over all frames plus its
// mean over the segment; the last segment is divided by its own length.
// hidden: (num_frames, kHidden); local: (num_frames, kOutputs); rows of `out`
// are out_stride values apart.
void apply_gate(const float* hidden, const float* local,
                std::int64_t num_frames, const ContextGate& gate, float* out,
                std::int64_t out_stride);

// Mean and unbiased standard deviation over the frames of one piece.
// in: (num_frames, channels); out: means, then deviations (2 channels).
// Deviations of a single frame are not a number, as torch gives them.
void pool_statistics(const float* in, std::int64_t num_frames,
                     std::span<float> out);

}  // namespace diarize::nn
