#pragma once

#include "core/array.h"
#include "core/nn/panel_product.h"
#include "core/weights.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace diarize::nn {

// The values between two convolutions of the head: (time, mel, 32 channels)
// with a border of zeros one row wide on all four sides. Grows to the longest
// piece seen; the border beside the mel rows is never written. Not thread safe.
class HeadPlane {
 public:
  static constexpr std::int64_t kChannels = 32;

  explicit HeadPlane(std::int64_t mel_bins) : mel_bins_(mel_bins) {}

  // Makes room for a piece and clears the border behind it.
  void prepare(std::int64_t num_rows);

  // Values of a time row and mel row; -1 and one past the last are the border.
  [[nodiscard]] float* at(std::int64_t row, std::int64_t mel);
  [[nodiscard]] const float* at(std::int64_t row, std::int64_t mel) const;
  [[nodiscard]] std::int64_t mel_bins() const { return mel_bins_; }

 private:
  std::int64_t mel_bins_;
  std::vector<float> values_;
};

// The two-dimensional head of CAM++ (FCM in 3D-Speaker): a convolution, four
// residual blocks of which two halve the mel rows, a convolution that halves
// them again; 3 x 3, 32 channels, batch norms folded in. The stride acts on mel
// rows only.
//
// A convolution is a product whose inputs are three runs, one a time step, of
// three mel rows each. The shortcut of a block that strides is a fourth run.
// Immutable, so threads may share it. Cost: 2.4e6 multiplications a row.
class CamPlusPlusHead {
 public:
  static constexpr std::int64_t kMelBins = 80;
  static constexpr std::int64_t kOutputs = 320;
  // Rows of zeros in front of and behind the result.
  static constexpr std::int64_t kPadding = 2;

  // What one consumer needs to run it.
  struct Scratch {
    std::vector<float> features;  // (rows + 2, 82), zeros around
    HeadPlane full{80}, half{40}, half_inner{40}, quarter{20},
        quarter_inner{20};
  };

  CamPlusPlusHead(WeightMap& weights, Precision precision);

  // features: (T, 80), mean subtracted -> (T + 4, 320) with two rows of zeros
  // at both ends; the value of channel c and mel row m is at m * 32 + c.
  [[nodiscard]] Array<float, 2> run(const Array<float, 2>& features,
                                    Scratch& scratch) const;

 private:
  struct Residual {
    PanelMatrix first;
    PanelMatrix second;  // with the shortcut as its last run, if it strides
  };

  PanelMatrix stem_;
  std::array<Residual, 4> residuals_;
  PanelMatrix last_;
};

}  // namespace diarize::nn
