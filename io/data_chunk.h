#pragma once

#include "io/byte_source.h"

namespace diarize {

// Containers whose header says how many bytes of samples follow.
enum class ChunkContainer {
  kRiff,  // WAV, little endian
  kRifx,  // WAV, big endian
  kRf64,  // WAV with 64-bit sizes in a chunk `ds64`
  kAiff,  // AIFF and AIFF-C
  kCaf,
  kW64,
  kAu,
};

// What a header says of the place and the number of its samples.
struct DataChunk {
  ChunkContainer container = ChunkContainer::kRiff;
  std::int64_t offset = 0;          // of the first byte of samples
  std::int64_t size_field = 0;      // of the number that gives their size
  std::int64_t declared_bytes = 0;  // that number; -1 where CAF leaves it open
  // Chunks begin at multiples of this.
  int alignment = 1;
  // Samples stand one by one (PCM, floats, A-law, mu-law), not in packed
  // blocks as in ADPCM. Known for the kinds of WAV only, else false.
  bool linear = false;
};

// Walks the chunks of a file to the one with the samples. None if this is not
// such a container or if the walk ends before: a stream is looked at only as
// far as `num_bytes`. Nothing a header says makes it read more than 64 bytes
// of each of 4096 chunks.
[[nodiscard]] std::optional<DataChunk> find_data_chunk(ByteSource& bytes,
                                                       std::int64_t num_bytes);

// Where the first chunk begins that is none or goes beyond the end, walking
// from `from`, where one may begin, or from the first chunk of the file. A
// second file behind the first, or second samples, are none.
// num_bytes if there is none, or if this is no such container.
[[nodiscard]] std::int64_t end_of_whole_chunks(
    ByteSource& bytes, std::int64_t num_bytes,
    std::optional<std::int64_t> from = std::nullopt);

// Whether whole chunks of a file lie from `offset`, where one may begin,
// exactly to the end.
[[nodiscard]] bool whole_chunks_follow(ByteSource& bytes, std::int64_t offset,
                                       std::int64_t num_bytes);

}  // namespace diarize
