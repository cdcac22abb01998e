#include "tests/fuzz/memory_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace diarize::test {

MemoryFile::MemoryFile(std::span<const std::byte> bytes)
    : file_(::memfd_create("fuzz", MFD_CLOEXEC)) {
  const ssize_t written =
      ::pwrite(file_.number(), bytes.data(), bytes.size(), 0);
  if (written != std::ssize(bytes)) std::abort();
}

std::filesystem::path MemoryFile::path() const {
  return std::filesystem::path("/proc/self/fd") /
         std::to_string(file_.number());
}

}  // namespace diarize::test
