#pragma once

#include "core/engine/stopwatch.h"
#include "core/nn/campplus.h"
#include "core/nn/filter_bank.h"

#include <span>
#include <vector>

namespace diarize::nn {

// Runs CAM++ over the pieces of blocks: features once per block, then the
// pieces of any blocks and of any lengths, about ten at a time so that weights
// are read once for all of them; nothing is padded. Memory grows with the
// features of the blocks only. Not thread safe.
class CamPlusPlusWorker final : public EmbedderWorker {
 public:
  // Pieces run together up to so many feature rows, or one piece.
  static constexpr std::size_t kMaxBatchRows = 1600;

  explicit CamPlusPlusWorker(const CamPlusPlus& network) : network_(network) {}

  [[nodiscard]] double feature_seconds() const override {
    return stopwatch_.seconds();
  }

  // Jobs are pieces: `rows` counts, `mask` does not. At least 3 rows each and
  // all inside the block, else std::logic_error.
  [[nodiscard]] std::vector<Array<float, 2>> embed(
      std::span<const Block* const> blocks,
      std::span<const std::vector<EmbeddingJob>> jobs) override;

 private:
  // The place of a piece.
  struct Piece {
    std::size_t block;
    std::size_t job;
    std::size_t num_rows;
  };

  void run_batch(std::span<const Block* const> blocks,
                 std::span<const std::vector<EmbeddingJob>> jobs,
                 std::span<const Piece> pieces,
                 std::vector<Array<float, 2>>& results);

  const CamPlusPlus& network_;
  CamPlusPlus::Scratch scratch_;
  FilterBank filter_bank_;
  Stopwatch stopwatch_;                    // of the filter bank
  std::vector<Array<float, 2>> features_;  // of the blocks, (rows, bins)
};

}  // namespace diarize::nn
