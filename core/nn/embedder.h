#pragma once

#include "core/types.h"

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace diarize::nn {

// An embedding network with the scratch of one consumer. Not thread safe.
class EmbedderWorker {
 public:
  virtual ~EmbedderWorker() = default;

  // As NetworkWorker::feature_seconds.
  [[nodiscard]] virtual double feature_seconds() const { return 0.0; }

  // As NetworkWorker::embed.
  [[nodiscard]] virtual std::vector<Array<float, 2>> embed(
      std::span<const Block* const> blocks,
      std::span<const std::vector<EmbeddingJob>> jobs) = 0;
};

// The weights of an embedding network. Immutable, so threads may share it;
// outlives its workers.
class Embedder {
 public:
  virtual ~Embedder() = default;
  [[nodiscard]] virtual std::unique_ptr<EmbedderWorker> make_worker() const = 0;
  [[nodiscard]] virtual std::size_t dimension() const = 0;
};

}  // namespace diarize::nn
