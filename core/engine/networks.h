#pragma once

#include "core/types.h"

#include <memory>
#include <span>
#include <vector>

namespace diarize {

// The networks with the scratch of one consumer. Not thread safe.
//
// What comes back for a chunk or a job depends on that chunk or job alone:
// not on what else is in the batch, and not on the number of threads.
class NetworkWorker {
 public:
  virtual ~NetworkWorker() = default;

  // Seconds spent so far on features, which are part of what embed() takes.
  [[nodiscard]] virtual double feature_seconds() const { return 0.0; }

  // Scores of all chunks of the blocks; result i belongs to blocks[i].
  [[nodiscard]] virtual std::vector<SegmentationScores> segment(
      std::span<const Block* const> blocks) = 0;

  // Embeddings (num_jobs, dimension) of the jobs of each block; result i
  // belongs to blocks[i], whose jobs are jobs[i].
  [[nodiscard]] virtual std::vector<Array<float, 2>> embed(
      std::span<const Block* const> blocks,
      std::span<const std::vector<EmbeddingJob>> jobs) = 0;
};

// A pipeline's networks on one device: the weights, shared by all workers.
// Immutable, so threads may share it.
class Networks {
 public:
  virtual ~Networks() = default;

  [[nodiscard]] virtual std::unique_ptr<NetworkWorker> make_worker() const = 0;

  // Length of an embedding.
  [[nodiscard]] virtual std::size_t embedding_dimension() const = 0;
};

}  // namespace diarize
