#include "io/file_bytes.h"

#include "core/error.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace diarize {

FileBytes::FileBytes(FileDescriptor file) : file_(std::move(file)) {
  struct stat status{};
  if (::fstat(file_.number(), &status) != 0) {
    throw InputError(
        fmt::format("cannot be examined: {}", std::strerror(errno)));
  }
  size_ = status.st_size;
}

std::size_t FileBytes::read_at(std::int64_t offset,
                               std::span<std::byte> bytes) {
  const std::int64_t left = std::max<std::int64_t>(size_ - offset, 0);
  const std::size_t wanted =
      std::min(bytes.size(), static_cast<std::size_t>(left));
  std::size_t done = 0;
  while (done < wanted) {
    const ssize_t count =
        ::pread(file_.number(), bytes.data() + done, wanted - done,
                offset + static_cast<std::int64_t>(done));
    if (count == 0) {
      throw InputError(
          fmt::format("became shorter while it was read: byte {} of {} is gone",
                      offset + static_cast<std::int64_t>(done), size_));
    }
    if (count < 0 && errno != EINTR) {
      throw InputError(fmt::format("cannot be read at byte {}: {}",
                                   offset + static_cast<std::int64_t>(done),
                                   std::strerror(errno)));
    }
    if (count > 0) done += static_cast<std::size_t>(count);
  }
  return done;
}

}  // namespace diarize
