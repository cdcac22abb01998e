#include "io/container.h"
#include "io/header_repair.h"
#include "io/length_estimate.h"
#include "io/stream_end.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/memory_file.h"
#include "tests/io/memory_bytes.h"

#include <algorithm>
#include <array>

namespace {

// All of a source in order, as a decoder reads it.
void read_all(diarize::ByteSource& source) {
  std::array<std::byte, 512> bytes{};
  std::int64_t offset = 0;
  while (const std::size_t count = source.read_at(offset, bytes)) {
    offset += static_cast<std::int64_t>(count);
  }
}

}  // namespace

// What is made of the first bytes of an audio file, of the sizes in them and
// of its end, without any decoder.
void diarize::test::fuzz(std::span<const std::byte> input) {
  const std::string text(reinterpret_cast<const char*>(input.data()),
                         input.size());
  static_cast<void>(identify_container(input));
  const MemoryFile file(input);
  static_cast<void>(estimate_length(file.path()));
  MemoryBytes whole(text);
  static_cast<void>(inspect_ogg(whole));
  static_cast<void>(mp3_states_length(whole));
  static_cast<void>(mp3_surplus_bytes(whole));
  read_all(*repair_header(std::make_unique<MemoryBytes>(text)).bytes);
  std::unique_ptr<ByteSource> stream = std::make_unique<MemoryBytes>(text);
  const std::int64_t head_bytes = std::min<std::int64_t>(std::ssize(text), 256);
  if (const auto repaired = repair_stream(stream, head_bytes)) {
    read_all(*repaired->bytes);
  }
}
