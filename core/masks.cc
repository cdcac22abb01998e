#include "core/masks.h"

#include <stdexcept>

namespace diarize {
namespace {

constexpr std::size_t kMinSamples = 400;  // of a filter-bank row
constexpr std::size_t kMinFrames =
    (kNumFrames * kMinSamples + kChunkSamples - 1) / kChunkSamples;

}  // namespace

FrameSet embedding_mask(const LocalActivity& activity, std::size_t chunk,
                        int speaker, bool exclude_overlap) {
  if (exclude_overlap) {
    const FrameSet alone = activity.alone(chunk, speaker);
    if (alone.count() > kMinFrames) return alone;
  }
  return activity.active[chunk][speaker];
}

std::vector<EmbeddingJob> masked_jobs(const Block& block,
                                      const LocalActivity& activity,
                                      bool exclude_overlap) {
  if (activity.num_chunks() != block.chunk_starts.size()) {
    throw std::logic_error("masked_jobs: the activity is not the block's");
  }
  std::vector<EmbeddingJob> jobs;
  for (std::size_t chunk = 0; chunk < activity.num_chunks(); ++chunk) {
    for (int speaker = 0; speaker < kNumLocalSpeakers; ++speaker) {
      if (activity.active[chunk][speaker].none()) continue;
      EmbeddingJob job;
      job.source.chunk = static_cast<std::int32_t>(
          block.first_chunk + static_cast<std::int64_t>(chunk));
      job.source.speaker = speaker;
      job.mask = embedding_mask(activity, chunk, speaker, exclude_overlap);
      jobs.push_back(std::move(job));
    }
  }
  return jobs;
}

}  // namespace diarize
