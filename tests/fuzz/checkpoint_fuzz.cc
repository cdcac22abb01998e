#include "io/checkpoint.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/stored_zip.h"

// The pickle of a checkpoint, in a zip archive that is right, beside a storage
// of 16 values.
void diarize::test::fuzz(std::span<const std::byte> input) {
  const std::vector<std::byte> storage(64);
  const MemoryFile memory(
      stored_zip({{"archive/data.pkl", input}, {"archive/data/0", storage}}));
  static_cast<void>(read_checkpoint(memory.path()));
}
