#pragma once

#include "io/file_descriptor.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <string>
#include <thread>
#include <utility>

namespace diarize::test {

// The reading end of a pipe that a thread writes `bytes` into, in pieces that
// fit no buffer.
class Pipe {
 public:
  explicit Pipe(std::string bytes) : bytes_(std::move(bytes)) {
    std::array<int, 2> ends{};
    REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
    reader_ = FileDescriptor(ends[0]);
    writer_ = std::thread([this, end = ends[1]] {
      constexpr std::size_t kPiece = 4099;
      for (std::size_t done = 0; done < bytes_.size(); done += kPiece) {
        const std::string piece = bytes_.substr(done, kPiece);
        if (::write(end, piece.data(), piece.size()) < 0) break;
      }
      ::close(end);
    });
  }
  ~Pipe() { writer_.join(); }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  [[nodiscard]] FileDescriptor reader() { return std::move(reader_); }

 private:
  std::string bytes_;
  FileDescriptor reader_;
  std::thread writer_;
};

}  // namespace diarize::test
