#pragma once

#include "io/file_descriptor.h"

#include <cstddef>
#include <filesystem>
#include <span>

namespace diarize::test {

// A file in memory that can be opened by a path, for readers that take one.
class MemoryFile {
 public:
  explicit MemoryFile(std::span<const std::byte> bytes);

  // Lives as long as this does.
  [[nodiscard]] std::filesystem::path path() const;

  [[nodiscard]] int number() const { return file_.number(); }

 private:
  FileDescriptor file_;
};

}  // namespace diarize::test
