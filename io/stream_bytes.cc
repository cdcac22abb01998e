#include "io/stream_bytes.h"

#include "core/error.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace diarize {

StreamBytes::StreamBytes(FileDescriptor pipe, std::size_t head_bytes,
                         Waiting waiting)
    : pipe_(std::move(pipe)), waiting_(std::move(waiting)) {
  std::vector<std::byte> head(head_bytes);
  head.resize(read_on(head));
  head_ = std::move(head);
}

std::size_t StreamBytes::read_at(std::int64_t offset,
                                 std::span<std::byte> bytes) {
  std::size_t done = 0;
  if (offset < std::ssize(head_)) {
    const auto kept = std::span(head_).subspan(static_cast<size_t>(offset));
    done = std::min(kept.size(), bytes.size());
    std::ranges::copy(kept.first(done), bytes.begin());
    bytes = bytes.subspan(done);
    offset += static_cast<std::int64_t>(done);
  }
  if (bytes.empty() || (end_ && offset >= *end_)) return done;
  if (offset < position_) {
    throw std::logic_error("StreamBytes: those bytes have gone by");
  }
  skip_to(offset);
  return done + read_on(bytes);
}

std::size_t StreamBytes::read_on(std::span<std::byte> bytes) {
  std::size_t done = 0;
  while (done < bytes.size() && !end_) {
    if (!waiting_.is_endless()) {
      wait_for_bytes(pipe_.number(), waiting_, "the sender");
    }
    const ssize_t count =
        ::read(pipe_.number(), bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno != EINTR) {
      throw InputError(fmt::format("cannot be read at byte {}: {}", position_,
                                   std::strerror(errno)));
    }
    if (count == 0) end_ = position_;
    if (count > 0) {
      done += static_cast<std::size_t>(count);
      position_ += count;
    }
  }
  return done;
}

void StreamBytes::skip_to(std::int64_t offset) {
  std::array<std::byte, 1 << 14> unused{};
  while (position_ < offset && !end_) {
    const std::int64_t left = offset - position_;
    const auto count = std::min<std::int64_t>(left, unused.size());
    static_cast<void>(
        read_on(std::span(unused).first(static_cast<std::size_t>(count))));
  }
}

}  // namespace diarize
