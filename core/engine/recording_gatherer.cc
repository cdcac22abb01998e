#include "core/engine/recording_gatherer.h"

#include <stdexcept>
#include <utility>

namespace diarize {

void RecordingGatherer::add(std::int64_t index, BlockResult result) {
  ++num_blocks_;
  early_.emplace(index, std::move(result));
  while (!early_.empty() && early_.begin()->first == next_block_) {
    append(std::move(early_.begin()->second));
    early_.erase(early_.begin());
    ++next_block_;
  }
}

void RecordingGatherer::append(BlockResult result) {
  const auto& starts = result.activity.chunk_starts;
  activity_.chunk_starts.insert(activity_.chunk_starts.end(), starts.begin(),
                                starts.end());
  activity_.active.insert(activity_.active.end(),
                          result.activity.active.begin(),
                          result.activity.active.end());
  const auto values = std::as_const(result.embeddings).values();
  values_.insert(values_.end(), values.begin(), values.end());
  sources_.insert(sources_.end(), result.sources.begin(), result.sources.end());
}

Recording RecordingGatherer::take(std::int64_t num_samples) {
  if (!early_.empty() || next_block_ != num_blocks_) {
    throw std::logic_error("RecordingGatherer: a block is missing");
  }
  Recording recording;
  recording.num_samples = num_samples;
  recording.activity = std::exchange(activity_, {});
  const std::size_t num_jobs = sources_.size();
  const std::size_t dimension = num_jobs == 0 ? 0 : values_.size() / num_jobs;
  recording.embeddings.values =
      Array<float, 2>({num_jobs, dimension}, std::exchange(values_, {}));
  recording.embeddings.sources = std::exchange(sources_, {});
  return recording;
}

}  // namespace diarize
