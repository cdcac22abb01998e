#pragma once

#include "core/array.h"
#include "core/nn/embedder.h"
#include "core/nn/filter_bank.h"
#include "core/nn/packed_ops.h"
#include "core/nn/precision.h"
#include "core/nn/trunk_conv.h"
#include "core/nn/trunk_run.h"
#include "core/weights.h"

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace diarize::nn {

// Where in a chunk the trunk has to run for the frames that masks select.
struct TrunkSpan {
  int first_frame = 0;  // of the trunk, kTrunkFrames in a whole chunk
  int end_frame = 0;    // one past the last
  int first_row = 0;    // of the chunk's filter bank: 8 * first_frame
  int end_row = 0;
};

// The smallest span whose frames [first_selected, last_selected] come out as
// those of the whole chunk. A frame j of the trunk depends on filter-bank rows
// 8 j - 112 ... 8 j + 112, so the span reaches 14 frames further on each side
// and ends with the chunk where that is nearer.
[[nodiscard]] TrunkSpan trunk_span(int first_selected, int last_selected);

// relu(conv2(relu(conv1(x))) + shortcut(x)), batch norms folded in.
struct BasicBlock {
  TrunkConv conv1;
  TrunkConv conv2;
  std::optional<PackedConv> shortcut;  // none: the identity
};

// WeSpeaker's ResNet34 as pyannote.audio runs it (WeSpeakerResNet34: basic
// blocks 3, 4, 6, 3 of 32, 64, 128, 256 channels, statistics pooling under a
// mask, one linear layer; "WeSpeaker: a research and production oriented
// speaker embedding learning toolkit", Wang et al. 2023).
//
// Input: the chunk's 998 filter-bank rows (Hamming window, samples times
// 32768), minus their mean over the chunk. Output: 256 values, not normalised.
// Its workers run the trunk once per chunk, over the span that the masks
// select, and pool it once per local speaker; chunks without jobs cost
// nothing. Chunks are run one at a time, which is as fast as together.
// Cost of a whole chunk: 45.2 GFLOP, of which WinogradConv saves 32.
//
// With kBlock the trunk runs once over all chunks of a block that have jobs,
// and the masks pool slices of it: an approximation, as the mean subtracted is
// that of all those rows and chunks no longer end in zeros. Cost: 4.5 GFLOP a
// second of audio, however much the chunks overlap.
class WeSpeaker final : public Embedder {
 public:
  static constexpr int kDimension = 256;
  static constexpr int kTrunkRows = 10;  // 80 mel bins / 8
  static constexpr int kTrunkChannels = 256;

  // Takes all tensors of `weights` (218 in the public checkpoints, of which 36
  // are counters). `precision` is that of the trunk; the projection is float32.
  // Throws FatalError if they are not those of this network.
  explicit WeSpeaker(WeightMap weights,
                     Precision precision = Precision::kFloat32,
                     TrunkRun run = TrunkRun::kChunk);

  [[nodiscard]] std::unique_ptr<EmbedderWorker> make_worker() const override;
  [[nodiscard]] std::size_t dimension() const override { return kDimension; }

  [[nodiscard]] const FilterBank& features() const { return features_; }
  [[nodiscard]] TrunkRun trunk_run() const { return run_; }

  // Rows of a span of a chunk, minus the mean over the whole chunk.
  // rows: (num_rows, 80) of a block, of which the chunk starts at `chunk_row`.
  // Returns (1, 1, num_rows of the span, 80): time is height, bins are width,
  // which the convolutions of oneDNN in bfloat16 run much faster.
  [[nodiscard]] static at::Tensor chunk_input(const Array<float, 2>& rows,
                                              std::size_t chunk_row,
                                              const TrunkSpan& span);

  // `num_rows` rows of a block from `first_row` on, minus their mean:
  // (1, 1, num_rows, 80).
  [[nodiscard]] static at::Tensor block_input(const Array<float, 2>& rows,
                                              std::size_t first_row,
                                              std::size_t num_rows);

  // (1, 1, num_rows, 80) -> (kTrunkRows, num_frames, kTrunkChannels).
  [[nodiscard]] at::Tensor trunk(const at::Tensor& input) const;

  // (num_jobs, 2 * kTrunkRows * kTrunkChannels) in the order of
  // pooled_statistics -> (num_jobs, kDimension).
  [[nodiscard]] at::Tensor project(const at::Tensor& statistics) const;

 private:
  FilterBank features_;
  Precision precision_;
  TrunkRun run_;
  std::optional<PackedConv> conv1_;
  std::vector<BasicBlock> blocks_;
  std::optional<PackedLinear> projection_;
};

}  // namespace diarize::nn
