#include "core/engine/block_cutter.h"

#include <algorithm>
#include <stdexcept>

namespace diarize {
namespace {

std::int64_t last_aligned_start(std::int64_t num_samples) {
  return (num_samples - kChunkSamples) / kFeatureHopSamples *
         kFeatureHopSamples;
}

}  // namespace

std::int64_t max_held_samples(const ChunkLayout& layout) {
  return layout.max_chunks_per_block * layout.hop_samples + kChunkSamples +
         kFeatureHopSamples + kMaxPieceSamples;
}

BlockCutter::BlockCutter(const ChunkLayout& layout) : layout_(layout) {
  if (layout.hop_samples <= 0 || layout.hop_samples % kFeatureHopSamples != 0 ||
      layout.max_chunks_per_block < 1) {
    throw std::logic_error("BlockCutter: the layout does not fit the features");
  }
  // Growing would take twice as much; what is not filled costs no memory.
  samples_.reserve(static_cast<std::size_t>(max_held_samples(layout)));
}

std::vector<Block> BlockCutter::push(std::span<const float> samples) {
  samples_.insert(samples_.end(), samples.begin(), samples.end());
  num_samples_ += static_cast<std::int64_t>(samples.size());
  std::vector<Block> blocks;
  const std::int64_t hop = layout_.hop_samples;
  const std::int64_t span = layout_.max_chunks_per_block * hop;
  while (num_samples_ >= next_start_ + span + kChunkSamples) {
    std::vector<std::int64_t> starts;
    for (std::int64_t start = next_start_; start < next_start_ + span;
         start += hop) {
      starts.push_back(start);
    }
    blocks.push_back(cut(std::move(starts), next_start_ + span));
  }
  return blocks;
}

std::vector<Block> BlockCutter::finish() {
  std::vector<Block> blocks;
  if (num_samples_ == 0) return blocks;
  const std::vector<std::int64_t> starts = remaining_starts();
  const std::size_t most = layout_.max_chunks_per_block;
  for (std::size_t begin = 0; begin < starts.size(); begin += most) {
    const std::size_t end = std::min(starts.size(), begin + most);
    std::optional<std::int64_t> next_start;
    if (end < starts.size()) next_start = starts[end];
    blocks.push_back(
        cut({starts.begin() + begin, starts.begin() + end}, next_start));
  }
  return blocks;
}

std::vector<std::int64_t> BlockCutter::remaining_starts() const {
  std::vector<std::int64_t> starts;
  std::int64_t start = next_start_;
  for (; start + kChunkSamples <= num_samples_; start += layout_.hop_samples) {
    starts.push_back(start);
  }
  if (layout_.last_chunk == LastChunk::kPadded) {
    const std::int64_t previous = starts.empty()
                                      ? previous_start_.value_or(-kChunkSamples)
                                      : starts.back();
    if (previous + kChunkSamples < num_samples_) starts.push_back(start);
  } else if (num_samples_ < kChunkSamples) {
    starts.push_back(0);
  } else {
    const std::int64_t aligned = last_aligned_start(num_samples_);
    const std::int64_t previous =
        starts.empty() ? previous_start_.value_or(-1) : starts.back();
    if (aligned > previous) starts.push_back(aligned);
  }
  return starts;
}

Block BlockCutter::cut(std::vector<std::int64_t> starts,
                       std::optional<std::int64_t> next_start) {
  Block block;
  block.first_sample = starts.front();
  block.first_chunk = next_chunk_;
  block.index = next_block_++;
  block.previous_start = previous_start_;
  block.next_start = next_start;
  block.recording_end = num_samples_;
  const std::int64_t end = starts.back() + kChunkSamples;
  const auto from = samples_.begin() + (block.first_sample - first_sample_);
  const auto to =
      samples_.begin() + (std::min(end, num_samples_) - first_sample_);
  block.samples.reserve(static_cast<std::size_t>(end - block.first_sample));
  block.samples.assign(from, to);
  block.samples.resize(end - block.first_sample, 0.0F);
  block.chunk_starts = std::move(starts);

  next_chunk_ += static_cast<std::int64_t>(block.chunk_starts.size());
  previous_start_ = block.chunk_starts.back();
  next_start_ = previous_start_.value() + layout_.hop_samples;
  // The chunk aligned to the end may take samples from before the next one.
  const std::int64_t keep =
      std::clamp(std::min(next_start.value_or(num_samples_),
                          num_samples_ - kChunkSamples - kFeatureHopSamples),
                 first_sample_, num_samples_);
  samples_.erase(samples_.begin(), samples_.begin() + (keep - first_sample_));
  first_sample_ = keep;
  return block;
}

}  // namespace diarize
