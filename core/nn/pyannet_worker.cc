#include "core/nn/pyannet_worker.h"

#include "core/nn/torch_scope.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <stdexcept>

namespace diarize::nn {
namespace {

constexpr std::int64_t kFeatures = 60;
constexpr std::int64_t kFilters = 80;
constexpr std::int64_t kSincStride = 10;
// The sinc filters run over at most so many samples at once (20 MB of values),
// or over one chunk.
constexpr std::int64_t kMaxStretch = 4 * kChunkSamples;

// One past the last chunk, from `first` on, of a stretch.
std::size_t stretch_end(const Block& block, std::size_t first) {
  const std::int64_t limit =
      block.chunk_starts[first] + kMaxStretch - kChunkSamples;
  std::size_t end = first + 1;
  while (end < block.chunk_starts.size() && block.chunk_starts[end] <= limit) {
    ++end;
  }
  return end;
}

void check(const Block& block) {
  for (const std::int64_t start : block.chunk_starts) {
    const std::int64_t offset = start - block.first_sample;
    if (offset < 0 || offset % kSincStride != 0 ||
        offset + kChunkSamples >
            static_cast<std::int64_t>(block.samples.size())) {
      throw std::logic_error("PyanNet: a chunk does not lie in its block");
    }
  }
}

}  // namespace

std::vector<SegmentationScores> PyanNetWorker::segment(
    std::span<const Block* const> blocks) {
  return in_torch([&] {
    std::vector<SegmentationScores> results;
    for (const Block* block : blocks) {
      check(*block);
      results.emplace_back(SegmentationScores::Shape{block->chunk_starts.size(),
                                                     kNumFrames, kNumClasses});
    }
    if (!features_.defined()) {
      features_ = at::empty({kMaxBatch, kNumFrames, kFeatures}, at::kFloat);
    }
    places_.clear();
    for (std::size_t block = 0; block < blocks.size(); ++block) {
      add_chunks(blocks, block, results);
    }
    run_batch(results);
    return results;
  });
}

void PyanNetWorker::add_chunks(std::span<const Block* const> blocks,
                               std::size_t block,
                               std::vector<SegmentationScores>& results) {
  const Block& from = *blocks[block];
  const std::span<const float> samples(from.samples);
  const auto offset = [&](std::size_t chunk) {
    return from.chunk_starts[chunk] - from.first_sample;
  };
  std::size_t end = 0;
  for (std::size_t first = 0; first < from.chunk_starts.size(); first = end) {
    end = stretch_end(from, first);
    const std::int64_t begin = offset(first);
    const at::Tensor columns = network_.sinc(
        samples.subspan(begin, offset(end - 1) + kChunkSamples - begin));
    for (std::size_t chunk = first; chunk < end; ++chunk) {
      const std::int64_t column = (offset(chunk) - begin) / kSincStride;
      network_.sincnet(samples.subspan(offset(chunk), kChunkSamples),
                       columns.const_data_ptr<float>() + column * kFilters,
                       {features_.mutable_data_ptr<float>() +
                            places_.size() * kNumFrames * kFeatures,
                        kNumFrames * kFeatures});
      places_.push_back({block, chunk});
      if (places_.size() == kMaxBatch) run_batch(results);
    }
  }
}

void PyanNetWorker::run_batch(std::vector<SegmentationScores>& results) {
  if (places_.empty()) return;
  const at::Tensor scores = network_.scores(
      features_.narrow(0, 0, static_cast<std::int64_t>(places_.size())));
  const auto* values = scores.const_data_ptr<float>();
  for (const Place& place : places_) {
    const std::span<float> out = results[place.block].row(place.chunk);
    std::copy_n(values, out.size(), out.begin());
    values += out.size();
  }
  places_.clear();
}

}  // namespace diarize::nn
