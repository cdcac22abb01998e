#pragma once

#include "core/array.h"
#include "core/nn/batch_norm.h"
#include "core/nn/campplus_head.h"
#include "core/nn/dense_ops.h"
#include "core/nn/embedder.h"
#include "core/nn/panel_product.h"
#include "core/nn/precision.h"
#include "core/weights.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace diarize::nn {

// CAM++, the speaker embedding network of 3D-Speaker (speech_campplus_sv;
// Wang et al. 2023, "CAM++: A Fast and Efficient Network for Speaker
// Verification Using Context-Aware Masking"): a two-dimensional head, a
// time-delay layer that halves the rate, three blocks of densely connected
// layers with context gates, statistics, one product.
//
// Values are stored as (time, channels). A dense block writes into one buffer
// of its final width: nothing is concatenated. Batch norms are folded into the
// product before them; those in front of a ReLU and a product are applied to a
// few rows at a time, just before the product reads them. A block runs layer
// by layer over the rows of several pieces of any lengths, so that its weights
// are read once for all of them.
//
// The form for processors: torch is not used. Immutable, so threads may share
// it. Cost: 1.07 GFLOP a second of features.
class CamPlusPlus final : public Embedder {
 public:
  static constexpr std::size_t kDimension = 192;
  static constexpr int kNumBlocks = 3;

  // What one consumer needs to run it; grows to the longest piece.
  struct Scratch {
    CamPlusPlusHead::Scratch head;
    std::vector<float> normed;  // a few rows
    std::vector<float> hidden;  // of a piece, zeros around
    std::vector<float> local;   // of a piece
  };

  // Takes its 815 float tensors; throws FatalError if one is missing or has
  // another shape, or if there are more. `precision` is that of the products
  // but the first and the last.
  explicit CamPlusPlus(WeightMap weights,
                       Precision precision = Precision::kFloat32);

  [[nodiscard]] std::unique_ptr<EmbedderWorker> make_worker() const override;
  [[nodiscard]] std::size_t dimension() const override { return kDimension; }

  // The stages, for tests and the worker. T rows of features become
  // T' = ceil(T / 2) frames; T is at least 3.

  // As CamPlusPlusHead::run.
  [[nodiscard]] Array<float, 2> head(const Array<float, 2>& features,
                                     Scratch& scratch) const;

  // (T + 4, 320) of the head -> writes (T', 128) to the rows of `out`.
  void tdnn(const Array<float, 2>& head, const RowsOut& out) const;

  // Dense block 0..2 and the product behind it, over pieces of these numbers
  // of frames that lie one behind the other in `values`, whose first
  // in_channels(index) of block_channels(index) columns are given and whose
  // others are overwritten -> (frames, out_channels(index)) to `out`.
  void block(int index, Array<float, 2>& values,
             std::span<const std::int64_t> lengths, const RowsOut& out,
             Scratch& scratch) const;
  [[nodiscard]] static std::int64_t in_channels(int index);
  [[nodiscard]] static std::int64_t block_channels(int index);
  [[nodiscard]] static std::int64_t out_channels(int index);

  // The last norm and ReLU, in place: (frames, 512).
  void last_norm(Array<float, 2>& values) const;

  // Statistics over the frames of one piece and the last product:
  // (frames, 512) -> 192 values to `out`.
  void pool(const float* frames, std::int64_t num_frames,
            std::span<float> out) const;

  // All of it: pieces of (T, 80) features, mean subtracted -> (pieces, 192).
  [[nodiscard]] Array<float, 2> embed(std::span<const Array<float, 2>> features,
                                      Scratch& scratch) const;

 private:
  struct DenseLayer {
    ChannelAffine norm;
    PanelMatrix bottleneck;
    PanelMatrix local;
    std::vector<float> gate_first;  // transposed, as ContextGate wants them
    std::vector<float> gate_first_bias;
    std::vector<float> gate_second;
    std::vector<float> gate_second_bias;
  };
  struct DenseBlock {
    std::vector<DenseLayer> layers;
    ChannelAffine norm;
    PanelMatrix transit;
  };

  void take_tdnn(WeightMap& weights, Precision precision);
  void take_block(WeightMap& weights, int index, Precision precision);
  void run_dense_layer(const DenseLayer& layer, std::int64_t dilation,
                       float* values, std::int64_t width,
                       std::int64_t num_frames, Scratch& scratch) const;

  CamPlusPlusHead head_;
  PanelMatrix tdnn_;
  std::vector<DenseBlock> blocks_;
  ChannelAffine out_norm_;
  PanelMatrix dense_;
};

}  // namespace diarize::nn
