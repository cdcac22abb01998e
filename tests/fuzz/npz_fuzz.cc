#include "core/error.h"
#include "io/npz.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/memory_file.h"

namespace {

template <typename T>
void read_values(const diarize::NpzFile& file, const std::string& name) {
  try {
    static_cast<void>(file.values<T>(name));
  } catch (const diarize::Error&) {
    // Another type may fit.
  }
}

}  // namespace

// A .npz or .npy file, every array of it in several types.
void diarize::test::fuzz(std::span<const std::byte> input) {
  const MemoryFile memory(input);
  const NpzFile file(memory.path());
  for (const std::string& name : file.names()) {
    read_values<double>(file, name);
    read_values<float>(file, name);
    read_values<std::int64_t>(file, name);
    read_values<std::uint8_t>(file, name);
  }
}
