#include "io/file_descriptor.h"

#include "core/error.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace diarize {

namespace {

[[noreturn]] void throw_errno(const std::string& what) {
  throw InputError(fmt::format("{}: {}", what, std::strerror(errno)));
}

void check_is_audio_candidate(int number) {
  struct stat status{};
  if (::fstat(number, &status) != 0) throw_errno("cannot be examined");
  if (S_ISDIR(status.st_mode)) {
    throw InputError("is a folder, expected an audio file");
  }
  const bool is_null_device =
      S_ISCHR(status.st_mode) && status.st_rdev == makedev(1, 3);
  if ((S_ISREG(status.st_mode) && status.st_size == 0) || is_null_device) {
    throw InputError("is empty (0 bytes), expected an audio file");
  }
  if (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode)) {
    throw InputError("is a device, expected an audio file");
  }
}

// Undoes O_NONBLOCK, which is only for opening.
void wait_when_reading(int number) {
  const int flags = ::fcntl(number, F_GETFL);
  if (flags < 0 || ::fcntl(number, F_SETFL, flags & ~O_NONBLOCK) < 0) {
    throw_errno("cannot be opened");
  }
}

}  // namespace

FileDescriptor::~FileDescriptor() {
  if (number_ >= 0) ::close(number_);
}

FileDescriptor open_audio_file(const std::filesystem::path& path) {
  FileDescriptor file =
      path == "-" ? duplicate(STDIN_FILENO)
                  : FileDescriptor(::open(path.c_str(),
                                          O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.number() < 0) {
    if (errno == ENOENT) {
      throw InputError("no such file, expected an audio file");
    }
    throw_errno("cannot be opened");
  }
  check_is_audio_candidate(file.number());
  if (path != "-") wait_when_reading(file.number());
  return file;
}

FileDescriptor duplicate(int number) {
  FileDescriptor copy(::fcntl(number, F_DUPFD_CLOEXEC, 0));
  if (copy.number() < 0) throw_errno("cannot be opened");
  return copy;
}

}  // namespace diarize
