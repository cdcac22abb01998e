#pragma once

#include "core/types.h"

#include <memory>
#include <span>
#include <vector>

namespace diarize::nn {

// A segmentation network with the scratch of one consumer. Not thread safe.
class SegmenterWorker {
 public:
  virtual ~SegmenterWorker() = default;

  // As NetworkWorker::segment.
  [[nodiscard]] virtual std::vector<SegmentationScores> segment(
      std::span<const Block* const> blocks) = 0;
};

// The weights of a segmentation network. Immutable, so threads may share it;
// outlives its workers.
class Segmenter {
 public:
  virtual ~Segmenter() = default;
  [[nodiscard]] virtual std::unique_ptr<SegmenterWorker> make_worker()
      const = 0;
};

}  // namespace diarize::nn
