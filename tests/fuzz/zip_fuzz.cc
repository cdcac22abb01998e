#include "io/checkpoint.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/memory_file.h"

// A whole checkpoint, bit for bit: what is not as torch.save writes it mostly
// fails in its zip archive.
void diarize::test::fuzz(std::span<const std::byte> input) {
  const MemoryFile memory(input);
  static_cast<void>(read_checkpoint(memory.path()));
}
