#pragma once

#include "core/types.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace diarize {

// What the networks made of one block.
struct BlockResult {
  LocalActivity activity;
  std::vector<EmbeddingSource> sources;  // (num_jobs)
  Array<float, 2> embeddings;            // (num_jobs, dimension)
};

// Puts the results of a recording's blocks together in their order, whatever
// order they come in. Holds one bit per local speaker and frame, and one
// embedding per job. Not thread safe.
class RecordingGatherer {
 public:
  // Takes the result of block number `index`.
  void add(std::int64_t index, BlockResult result);

  // Number of blocks taken.
  [[nodiscard]] std::int64_t num_blocks() const { return num_blocks_; }

  // The recording, of `num_samples`, once all its blocks are there. Throws
  // std::logic_error if one is missing. Leaves the gatherer empty.
  [[nodiscard]] Recording take(std::int64_t num_samples);

 private:
  void append(BlockResult result);

  LocalActivity activity_;
  std::vector<float> values_;
  std::vector<EmbeddingSource> sources_;
  std::map<std::int64_t, BlockResult> early_;  // after a block still missing
  std::int64_t num_blocks_ = 0;
  std::int64_t next_block_ = 0;
};

}  // namespace diarize
