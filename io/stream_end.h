#pragma once

#include "io/byte_source.h"

namespace diarize {

// Tags behind the samples (ID3v1, APE, lyrics) are shorter.
inline constexpr std::int64_t kMaxTagBytes = 1 << 14;

// What the pages of an Ogg file say of its end.
struct OggEnd {
  bool marked = false;   // the last page ends its stream, as it has to
  bool chained = false;  // another stream begins behind the first
};

// Walks the pages of an Ogg file (RFC 3533): three small reads a page. Walks on
// from the next page where bytes between two are no page.
[[nodiscard]] OggEnd inspect_ogg(ByteSource& bytes);

// Bytes that lie behind those an MP3 says it is made of, in the Xing or Info
// header of its first frame; 0 if it says nothing, or if what follows is only
// a tag (shorter than 16 kB).
[[nodiscard]] std::int64_t mp3_surplus_bytes(ByteSource& bytes);

// Whether an MP3 says how long it is: a Xing, Info or VBRI header in its first
// frame. What libsndfile says of others is a guess by the bit rate.
[[nodiscard]] bool mp3_states_length(ByteSource& bytes);

}  // namespace diarize
