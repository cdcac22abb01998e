#pragma once

#include "core/nn/panel_product.h"

#include <cstdint>
#include <span>
#include <vector>

namespace diarize::nn {

// An image stored with the channels last: the values of a pixel lie at
// values + (y * width + x) * channels.
struct ImageIn {
  const float* values = nullptr;
  std::int64_t height = 0;
  std::int64_t width = 0;
};

// A 3 x 3 convolution with stride 1 and a border of zeros behind it a ReLU, by
// Winograd's minimal filtering F(4 x 4, 3 x 3) (Lavin and Gray 2016, "Fast
// Algorithms for Convolutional Neural Networks"): a tile of 16 results takes 36
// products for each pair of an input and an output channel, not 144. They are
// those of PanelMatrix, a matrix for each of the 36 points; the weights are
// transformed in double precision.
//
// Results differ from those in double precision by about 1e-6 of their norm.
// They do not depend on the images or threads beside; their last bits depend on
// where in its tile a pixel lies. Immutable, so threads may share it.
class WinogradConv {
 public:
  // weights: (num_outputs, num_inputs, 3, 3) row-major, both numbers multiples
  // of 32, else std::logic_error; bias: (num_outputs).
  WinogradConv(std::span<const float> weights, std::span<const float> bias);

  [[nodiscard]] std::int64_t num_inputs() const { return num_inputs_; }
  [[nodiscard]] std::int64_t num_outputs() const {
    return static_cast<std::int64_t>(bias_.size());
  }

  // out = relu(convolution(in) + add), where `add` may be null, or `out`
  // itself. out, add: (height, width, num_outputs).
  void run(const ImageIn& in, float* out, const float* add = nullptr) const;

 private:
  std::int64_t num_inputs_ = 0;
  std::vector<float> bias_;
  std::vector<PanelMatrix> points_;
};

}  // namespace diarize::nn
