#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace diarize::test {

// A file to be in a zip archive.
struct ZipContent {
  std::string name;
  std::string bytes;
};

enum class Compression { kStored, kDeflated };

// Writes a zip archive by libzip.
void make_zip(const std::filesystem::path& path,
              const std::vector<ZipContent>& contents,
              Compression compression = Compression::kStored);

// The bytes of a .npy file of version 1. `dictionary` is the Python literal of
// its header.
[[nodiscard]] std::string npy_bytes(const std::string& dictionary,
                                    const std::string& data);

// The bytes of values as they lie in memory.
template <typename T>
[[nodiscard]] std::string raw_bytes(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()),
          values.size() * sizeof(T)};
}

}  // namespace diarize::test
