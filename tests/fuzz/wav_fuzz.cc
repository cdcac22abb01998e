#include "io/sndfile_source.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/memory_file.h"

#include <string>

namespace {

// libsndfile is not compiled for fuzzing, and its other decoders are not ours.
bool is_wav(std::span<const std::byte> input) {
  const std::string head(reinterpret_cast<const char*>(input.data()),
                         std::min<std::size_t>(input.size(), 12));
  return head.starts_with("RI") || head.starts_with("RF64");
}

}  // namespace

// A WAV file from its header to the last sample.
void diarize::test::fuzz(std::span<const std::byte> input) {
  if (!is_wav(input)) return;
  const MemoryFile memory(input);
  const auto source = open_sndfile(duplicate(memory.number()));
  constexpr int kMaxBlocks = 100;
  for (int block = 0; block < kMaxBlocks && !source->read().empty(); ++block) {
  }
  static_cast<void>(source->report());
}
