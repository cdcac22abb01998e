#pragma once

#include "core/engine/block_cutter.h"

#include <cstddef>

namespace diarize {

// Bytes of samples that an engine holds while it works.
struct AudioMemory {
  // An open session: its cutter at its fullest, the block it is about to hand
  // over, and what its feeder holds.
  std::size_t session = 0;
  // A full block that waits for the networks or is in them.
  std::size_t block = 0;

  // The least that works: one session and one block.
  [[nodiscard]] std::size_t least() const { return session + block; }
};

// feeder_bytes: what whoever feeds a session holds beside it.
[[nodiscard]] AudioMemory audio_memory(const ChunkLayout& layout,
                                       std::size_t feeder_bytes);

// How many bytes of samples may wait at once.
struct AudioBudget {
  std::size_t sessions = 0;
  std::size_t blocks = 0;

  [[nodiscard]] std::size_t total() const { return sessions + blocks; }
};

// Enough that no consumer ever waits for samples that others could have ready:
// for each of them two sessions, so that one is read while another is
// clustered or opened, and three batches of blocks: one in the networks, one
// behind it, and one being cut. More would only wait.
//
// batch_chunks: chunks that go through the networks together.
[[nodiscard]] AudioBudget ample_budget(const AudioMemory& memory,
                                       const ChunkLayout& layout,
                                       int num_consumers, int batch_chunks);

// `limit` bytes for whole sessions and for blocks in the proportion of `ample`;
// one of each at least, whatever the limit.
[[nodiscard]] AudioBudget limited_budget(const AudioMemory& memory,
                                         const AudioBudget& ample,
                                         std::size_t limit);

}  // namespace diarize
