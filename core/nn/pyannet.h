#pragma once

#include "core/nn/lstm_layer.h"
#include "core/nn/packed_ops.h"
#include "core/nn/panel_product.h"
#include "core/nn/segmenter.h"
#include "core/weights.h"

#include <ATen/core/Tensor.h>

#include <span>
#include <vector>

namespace diarize::nn {

// PyanNet, the segmentation network of pyannote.audio (models/segmentation/
// PyanNet.py): sinc filters, two convolutions, each pooled and normalised over
// the chunk, four bidirectional LSTM layers, two linear layers and the
// classifier of the powerset.
//
// The norm of the waveform is affine in a chunk, so the sinc filters run once
// over all samples of a block and the norm is applied behind them. Everything
// up to the LSTM runs chunk by chunk, inside the second-level cache; the LSTM
// and what follows run over a batch. Values of the SincNet part are stored as
// (time, channels), that is channels_last.
//
// Immutable, so threads may share it. Cost: 2.6 GFLOP a chunk, less what
// neighbouring chunks share of the sinc filters (0.64).
class PyanNet final : public Segmenter {
 public:
  // Takes its 54 tensors, monolithic LSTM; throws FatalError if one is missing
  // or has another shape, or if there are more.
  // With kBfloat16 the products of the LSTM are kBfloat16x3 where the processor
  // has AMX (elsewhere that would be slower than float32); all others are
  // float32.
  explicit PyanNet(WeightMap weights,
                   Precision precision = Precision::kFloat32);

  [[nodiscard]] std::unique_ptr<SegmenterWorker> make_worker() const override;

  // The stages, for tests and the worker.

  // Sinc filters over samples, before the absolute value: (columns, 80) with
  // columns = 1 + (num_samples - 251) / 10.
  [[nodiscard]] at::Tensor sinc(std::span<const float> samples) const;

  // SincNet of a chunk. samples: (kChunkSamples); columns: the sinc filters of
  // those samples, (15975, 80) values. Writes (kNumFrames, 60) to `out`.
  void sincnet(std::span<const float> samples, const float* columns,
               std::span<float> out) const;

  // features: (num_chunks, kNumFrames, 60) of SincNet ->
  // (num_chunks, kNumFrames, kNumClasses) log-probabilities. Throws
  // std::logic_error if they have another shape.
  [[nodiscard]] at::Tensor scores(const at::Tensor& features) const;

 private:
  struct Norm {
    at::Tensor weight;
    at::Tensor bias;
  };

  // Norm `index` and leaky ReLU, in place. values: (num_rows, channels).
  void normalize(int index, std::int64_t num_rows, int channels,
                 float* values) const;

  void take_filters(WeightMap& weights);
  void take_convolutions(WeightMap& weights);
  void take_lstm(WeightMap& weights, Precision precision);
  void take_linears(WeightMap& weights);

  double wave_weight_ = 1.0;
  double wave_bias_ = 0.0;
  at::Tensor filter_sums_;          // (80)
  PanelMatrix sinc_;                // outputs padded to whole panels
  std::vector<PanelMatrix> convs_;  // the two others
  std::vector<Norm> norms_;         // behind each of the three
  std::vector<LstmLayer> lstm_;
  std::vector<PackedLinear> linears_;  // two and the classifier
};

}  // namespace diarize::nn
