#pragma once

#include "io/byte_source.h"

#include <memory>

namespace diarize {

// An audio file with a header that can be believed.
struct RepairedBytes {
  std::unique_ptr<ByteSource> bytes;
  // Where to end the file while its header is read, so that samples are not
  // taken for more header; none where that does not matter.
  std::optional<std::int64_t> header_end;
  // Bytes of samples that the header promises over those that are there:
  // above 1 where the file was cut.
  double promised_share = 1.0;
  // Bytes that lie behind the samples the header counts, and are no chunks.
  std::int64_t surplus_bytes = 0;
};

// Puts right what programs that write into a pipe, or past 4 GiB, leave wrong
// in the size of the samples, as far as the file itself can tell:
// - WAV (RIFF, RIFX, RF64) with a size of 0, 0xFFFFFFFF or the like of it
//   (0x7F000000 or 0x7FFFF000 from sox, 0x80000000 from arecord): all to the
//   end is samples. A size of 0 that whole chunks follow to the end is
//   believed.
// - WAV whose size wrapped at 4 GiB: as many times 4 GiB more as there are.
// - CAF and W64 whose size is open or beyond the end, AU of size 0: to the end.
// - Chunks before or behind the samples that go beyond the end of the file, or
//   that are none: the file ends before the first of them.
// Everything else comes back as it is, with its promise. The way in for WAV is
// that libsndfile takes a RIFF size of 8 with a data size of 0 for a header
// that was never finished, and then counts in 64 bits to the end of the file.
[[nodiscard]] RepairedBytes repair_header(std::unique_ptr<ByteSource> bytes);

// The same for a pipe whose first `head_bytes` can be read again. None, and
// `bytes` untouched, unless it is a WAV of samples that stand one by one: that
// is all that can be read without ever going back.
[[nodiscard]] std::optional<RepairedBytes> repair_stream(
    std::unique_ptr<ByteSource>& bytes, std::int64_t head_bytes);

}  // namespace diarize
