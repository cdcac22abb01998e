#pragma once

#include "core/engine/block_cutter.h"
#include "core/engine/stage_times.h"
#include "core/types.h"

#include <vector>

namespace diarize {

// What a pipeline does on the host around its networks: where chunks lie, what
// is embedded, and how scores and embeddings become turns. Immutable, so
// threads may share it; every function is pure.
class Recipe {
 public:
  virtual ~Recipe() = default;

  // Where the chunks of a recording lie.
  [[nodiscard]] virtual ChunkLayout chunk_layout() const = 0;

  // What to embed of a block. `activity` is that of the block's chunks alone;
  // the jobs name chunks of the recording (block.first_chunk + i).
  [[nodiscard]] virtual std::vector<EmbeddingJob> jobs(
      const Block& block, const LocalActivity& activity) const = 0;

  // The turns of a whole recording. Embeddings are in the order of the blocks,
  // and within a block in that of its jobs.
  //
  // times: where what clustering and reconstruction took is added; may be null.
  [[nodiscard]] virtual Diarization finish(const Recording& recording,
                                           const SpeakerRequest& request,
                                           StageTimes* times) const = 0;

  [[nodiscard]] Diarization finish(const Recording& recording,
                                   const SpeakerRequest& request) const {
    return finish(recording, request, nullptr);
  }
};

}  // namespace diarize
