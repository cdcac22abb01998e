#pragma once

#include "core/types.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace diarize {

// What becomes of the end of a recording that no regular chunk covers.
enum class LastChunk {
  kAligned,  // one more chunk that ends with the recording (to 159 samples)
  kPadded,   // one more regular chunk, filled up with zeros (pyannote.audio)
};

// Where the chunks of a recording lie.
struct ChunkLayout {
  std::int64_t hop_samples = kSampleRate;  // a multiple of kFeatureHopSamples
  LastChunk last_chunk = LastChunk::kPadded;
  // Enough for the networks to be at their fastest; more would leave threads
  // without work for longer at the end of a recording.
  int max_chunks_per_block = 16;
};

// A recording is handed to the cutter in pieces of at most so many samples
// where it is to hold no more than max_held_samples().
inline constexpr std::int64_t kMaxPieceSamples = kChunkSamples;

// The most samples that a cutter holds: those of a block and the hop that has
// to follow, what the chunk at the end may take from before, and a piece.
[[nodiscard]] std::int64_t max_held_samples(const ChunkLayout& layout);

// Cuts the samples of one recording, as they arrive, into blocks.
//
// Which blocks there are depends on the recording alone, not on how its
// samples were pushed. A recording shorter than a chunk is one chunk, padded
// with zeros. A block is cut once the chunk after it is complete or the
// recording has ended, so that it knows its neighbours. Not thread safe.
class BlockCutter {
 public:
  explicit BlockCutter(const ChunkLayout& layout);

  // Takes samples (16 kHz mono) and returns the blocks they complete.
  [[nodiscard]] std::vector<Block> push(std::span<const float> samples);

  // Ends the recording and returns the blocks that were left, none if the
  // recording is empty.
  [[nodiscard]] std::vector<Block> finish();

  // Samples pushed so far.
  [[nodiscard]] std::int64_t num_samples() const { return num_samples_; }

 private:
  [[nodiscard]] Block cut(std::vector<std::int64_t> starts,
                          std::optional<std::int64_t> next_start);
  [[nodiscard]] std::vector<std::int64_t> remaining_starts() const;

  ChunkLayout layout_;
  std::vector<float> samples_;  // from first_sample_ on
  std::int64_t first_sample_ = 0;
  std::int64_t num_samples_ = 0;
  std::int64_t next_start_ = 0;  // of the first chunk not yet in a block
  std::int64_t next_chunk_ = 0;  // its number
  std::int64_t next_block_ = 0;
  std::optional<std::int64_t> previous_start_;
};

}  // namespace diarize
