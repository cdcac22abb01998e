#pragma once

#include "io/byte_source.h"
#include "io/file_descriptor.h"
#include "io/waiting.h"

#include <vector>

namespace diarize {

// A pipe. What has gone by is gone, except for the first bytes, which are
// kept: enough to read a header as often as needed and then all that follows
// it in order. Memory is that of the head, whatever the length of the stream.
class StreamBytes final : public ByteSource {
 public:
  // Reads the first `head_bytes` bytes, or all there are. `waiting` is for each
  // of its bytes, now and later.
  StreamBytes(FileDescriptor pipe, std::size_t head_bytes,
              Waiting waiting = {});

  // The bytes kept.
  [[nodiscard]] std::span<const std::byte> head() const { return head_; }

  // Goes forward only: throws std::logic_error for bytes that have gone by.
  [[nodiscard]] std::size_t read_at(std::int64_t offset,
                                    std::span<std::byte> bytes) override;
  [[nodiscard]] std::optional<std::int64_t> size() const override {
    return end_;
  }

 private:
  [[nodiscard]] std::size_t read_on(std::span<std::byte> bytes);
  void skip_to(std::int64_t offset);

  FileDescriptor pipe_;
  Waiting waiting_;
  std::vector<std::byte> head_;
  std::int64_t position_ = 0;        // of the next byte of the pipe
  std::optional<std::int64_t> end_;  // once it has been seen
};

}  // namespace diarize
