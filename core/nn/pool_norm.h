#pragma once

#include <cstdint>
#include <span>

namespace diarize::nn {

// The steps between the convolutions of SincNet, on (time, channels) values:
// pool the largest of three, normalise over time, leaky ReLU.
//
// All are plain loops over the channels, so a result depends on its own chunk
// alone. Channel counts are those of SincNet: 80 and 60; others throw
// std::logic_error.

// Parameters of an instance norm, one value a channel.
struct InstanceNorm {
  std::span<const float> weight;
  std::span<const float> bias;
};

// The affine map that stands for the norm of the waveform, applied after the
// first convolution: filter(scale * x + b) = scale * filter(x) + b * sum(f).
struct FilteredAffine {
  float scale = 1.0F;
  std::span<const float> shift;  // b times the sum of each filter, (channels)
};

// out(t, c) = max over i < 3 of |scale * in(3 t + i, c) + shift(c)|.
// in: (3 num_rows or more, channels); out: (num_rows, channels).
void pool_magnitudes(const float* in, std::int64_t num_rows, int channels,
                     const FilteredAffine& affine, float* out);

// out(t, c) = max over i < 3 of in(3 t + i, c); shapes as above, but that row
// r of `in` begins at in + r * in_stride, with in_stride >= channels.
void pool(const float* in, std::int64_t in_stride, std::int64_t num_rows,
          int channels, float* out);

// values(t, c) = lrelu((values(t, c) - mean(c)) / sqrt(var(c) + 1e-5)
//                      * weight(c) + bias(c)),
// in place, mean and biased variance over all rows (two passes, partial sums
// in float32 and totals in float64); slope 0.01. values: (num_rows, channels).
void normalize_leaky_relu(float* values, std::int64_t num_rows, int channels,
                          const InstanceNorm& norm);

}  // namespace diarize::nn
