#pragma once

#include "core/nn/dense_ops.h"
#include "core/nn/embedder.h"
#include "core/nn/packed_ops.h"
#include "core/nn/take_tensor.h"
#include "core/weights.h"

#include <ATen/core/Tensor.h>

#include <optional>
#include <vector>

namespace diarize::nn {

// CAM++, the speaker embedding network of 3D-Speaker (speech_campplus_sv;
// Wang et al. 2023, "CAM++: A Fast and Efficient Network for Speaker
// Verification Using Context-Aware Masking"): a two-dimensional head of
// residual blocks, a time-delay layer that halves the rate, three blocks of
// densely connected layers with context gates, statistics, one product.
//
// All values are stored as (time, channels), in the head (time, mel, channels),
// so that products run over contiguous rows. A dense block writes into one
// buffer of its final width: nothing is concatenated. Batch norms are folded
// into the product before them; those in front of a ReLU and a product are
// applied in one loop.
//
// Immutable, so threads may share it. Cost: 1.07 GFLOP a second of features.
class CamPlusPlus final : public Embedder {
 public:
  static constexpr std::int64_t kMelBins = 80;
  static constexpr std::int64_t kHeadChannels = 320;
  static constexpr std::int64_t kDimension = 192;
  static constexpr int kNumBlocks = 3;

  // Takes its 815 float tensors; throws FatalError if one is missing or has
  // another shape, or if there are more.
  explicit CamPlusPlus(WeightMap weights);

  [[nodiscard]] std::unique_ptr<EmbedderWorker> make_worker() const override;
  [[nodiscard]] std::size_t dimension() const override { return kDimension; }

  // The stages, for tests and the worker. B pieces of T rows each, T at least
  // 3; T' = ceil(T / 2).

  // (B, T, 80) features, mean subtracted -> (B, T, 320), the value of channel
  // c and mel row m at m * 32 + c.
  [[nodiscard]] at::Tensor head(const at::Tensor& features) const;

  // (B, T, 320) of the head -> (B, T', 128).
  [[nodiscard]] at::Tensor tdnn(const at::Tensor& values) const;

  // Dense block 0..2 and the product behind it:
  // (B, T', 128 | 256 | 512) -> (B, T', 256 | 512 | 512).
  [[nodiscard]] at::Tensor block(int index, const at::Tensor& values) const;

  // The last norm and ReLU: (B, T', 512) -> (B, T', 512).
  [[nodiscard]] at::Tensor frames(const at::Tensor& values) const;

  // Statistics over the frames and the last product: (B, T', 512) -> (B, 192).
  [[nodiscard]] at::Tensor pool(const at::Tensor& frames) const;

  // All of it: (B, T, 80), mean subtracted -> (B, 192).
  [[nodiscard]] at::Tensor embed(const at::Tensor& features) const;

 private:
  struct Residual {
    PackedConv first;
    PackedConv second;
    std::optional<PackedConv> shortcut;  // none: the identity
  };
  struct DenseLayer {
    ChannelAffine norm;
    PackedLinear bottleneck;
    PackedConv local;
    at::Tensor gate_first;  // transposed, as ContextGate wants them
    at::Tensor gate_first_bias;
    at::Tensor gate_second;
    at::Tensor gate_second_bias;
  };
  struct DenseBlock {
    std::vector<DenseLayer> layers;
    ChannelAffine norm;
    std::optional<PackedLinear> transit;
  };

  void take_head(WeightMap& weights);
  void take_tdnn(WeightMap& weights);
  void take_block(WeightMap& weights, int index);
  void take_dense_layer(WeightMap& weights, const std::string& name,
                        std::int64_t channels, std::int64_t dilation,
                        DenseBlock& block);
  void run_dense_layer(const DenseLayer& layer, std::int64_t batch,
                       std::int64_t channels, at::Tensor& buffer) const;

  std::vector<PackedConv> stem_;  // first and last convolution of the head
  std::vector<Residual> residuals_;
  std::vector<PackedConv> tdnn_;  // one
  std::vector<DenseBlock> blocks_;
  ChannelAffine out_norm_;
  std::vector<PackedLinear> dense_;  // one
};

}  // namespace diarize::nn
