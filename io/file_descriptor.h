#pragma once

#include <filesystem>
#include <utility>

namespace diarize {

// Owns a file descriptor and closes it. Opened with close-on-exec, so that no
// child process inherits one by accident. Not shared by threads.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept
      : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor();

  // The descriptor's number, still owned here; -1 if there is none.
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_ = -1;
};

// Opens an audio file for reading; the path `-` is standard input. Does not
// wait for somebody to write into a pipe that has a name. Throws InputError if
// there is no such file, if it is a folder, empty or a device (which may never
// end), or if it may not be read.
[[nodiscard]] FileDescriptor open_audio_file(const std::filesystem::path& path);

// A second descriptor of the same open file.
[[nodiscard]] FileDescriptor duplicate(int number);

}  // namespace diarize
