#include "io/spool.h"

#include "core/error.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

namespace diarize {

namespace {

constexpr std::size_t kCopyBytes = 1 << 16;

void write_all(int number, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(number, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) {
      throw InputError(fmt::format("cannot be kept in a temporary file: {}",
                                   std::strerror(errno)));
    }
    if (count > 0) bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

}  // namespace

FileDescriptor make_nameless_file() {
  const auto folder = std::filesystem::temp_directory_path();
  std::string name = (folder / "diarize-XXXXXX").string();
  FileDescriptor file(::mkostemp(name.data(), O_CLOEXEC));
  if (file.number() < 0) {
    throw InputError(fmt::format("needs a temporary file, but none in {}: {}",
                                 folder.string(), std::strerror(errno)));
  }
  ::unlink(name.c_str());
  return file;
}

FileDescriptor spool(ByteSource& stream, FileDescriptor target) {
  std::vector<std::byte> bytes(kCopyBytes);
  std::int64_t offset = 0;
  while (const std::size_t count = stream.read_at(offset, bytes)) {
    write_all(target.number(), std::span(bytes).first(count));
    offset += static_cast<std::int64_t>(count);
  }
  return target;
}

}  // namespace diarize
