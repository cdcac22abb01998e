#include "core/engine/audio_memory.h"

#include "core/sliding_window.h"

#include <algorithm>

namespace diarize {
namespace {

constexpr std::size_t kSessionsPerConsumer = 2;
constexpr std::size_t kBatchesPerConsumer = 3;

std::size_t bytes_of(std::int64_t num_samples) {
  return static_cast<std::size_t>(num_samples) * sizeof(float);
}

}  // namespace

AudioMemory audio_memory(const ChunkLayout& layout, std::size_t feeder_bytes) {
  AudioMemory memory;
  memory.block = bytes_of(
      (layout.max_chunks_per_block - 1) * layout.hop_samples + kChunkSamples);
  memory.session =
      bytes_of(max_held_samples(layout)) + memory.block + feeder_bytes;
  return memory;
}

AudioBudget ample_budget(const AudioMemory& memory, const ChunkLayout& layout,
                         int num_consumers, int batch_chunks) {
  const auto consumers = static_cast<std::size_t>(num_consumers);
  const auto blocks_of_batch =
      (static_cast<std::size_t>(batch_chunks) - 1) /
          static_cast<std::size_t>(layout.max_chunks_per_block) +
      1;
  return {consumers * kSessionsPerConsumer * memory.session,
          consumers * kBatchesPerConsumer * blocks_of_batch * memory.block};
}

AudioBudget limited_budget(const AudioMemory& memory, const AudioBudget& ample,
                           std::size_t limit) {
  if (limit == ample.total()) return ample;
  if (limit <= memory.least()) return {memory.session, memory.block};
  const double share =
      static_cast<double>(limit) / static_cast<double>(ample.total());
  const auto num_sessions =
      static_cast<std::size_t>(share * static_cast<double>(ample.sessions) /
                               static_cast<double>(memory.session));
  AudioBudget budget;
  budget.sessions = std::max<std::size_t>(num_sessions, 1) * memory.session;
  budget.blocks = limit - budget.sessions;
  return budget;
}

}  // namespace diarize
