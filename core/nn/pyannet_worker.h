#pragma once

#include "core/nn/pyannet.h"

#include <span>
#include <vector>

namespace diarize::nn {

// Runs PyanNet over blocks: the sinc filters once per stretch of a block, the
// LSTM over at most kMaxBatch chunks of any blocks at once. Memory does not
// grow with the number of blocks or their length. Not thread safe.
class PyanNetWorker final : public SegmenterWorker {
 public:
  static constexpr std::size_t kMaxBatch = 16;

  explicit PyanNetWorker(const PyanNet& network) : network_(network) {}

  [[nodiscard]] std::vector<SegmentationScores> segment(
      std::span<const Block* const> blocks) override;

 private:
  // Where the scores of a chunk of the batch go.
  struct Place {
    std::size_t block;
    std::size_t chunk;
  };

  void add_chunks(std::span<const Block* const> blocks, std::size_t block,
                  std::vector<SegmentationScores>& results);
  void run_batch(std::vector<SegmentationScores>& results);

  const PyanNet& network_;
  at::Tensor features_;        // (kMaxBatch, kNumFrames, 60)
  std::vector<Place> places_;  // of the chunks in `features_`
};

}  // namespace diarize::nn
