#include "io/model_directory.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/memory_file.h"
#include "tests/support/temporary_folder.h"

#include <unistd.h>

// The config.yaml of a pipeline directory.
void diarize::test::fuzz(std::span<const std::byte> input) {
  static const TemporaryFolder folder;
  const MemoryFile memory(input);
  const auto config = folder.path() / "config.yaml";
  ::unlink(config.c_str());
  std::filesystem::create_symlink(memory.path(), config);
  static_cast<void>(read_model_config(folder.path()));
}
