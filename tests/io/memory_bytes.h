#pragma once

#include "io/byte_source.h"

#include <algorithm>
#include <string>
#include <utility>

namespace diarize::test {

// Bytes in memory.
class MemoryBytes final : public ByteSource {
 public:
  explicit MemoryBytes(std::string bytes) : bytes_(std::move(bytes)) {}

  [[nodiscard]] std::size_t read_at(std::int64_t offset,
                                    std::span<std::byte> bytes) override {
    const std::int64_t size = std::ssize(bytes_);
    const auto left = std::max<std::int64_t>(size - offset, 0);
    const auto count = std::min(bytes.size(), static_cast<std::size_t>(left));
    for (std::size_t place = 0; place < count; ++place) {
      bytes[place] = static_cast<std::byte>(
          bytes_[static_cast<std::size_t>(offset) + place]);
    }
    return count;
  }

  [[nodiscard]] std::optional<std::int64_t> size() const override {
    return std::ssize(bytes_);
  }

 private:
  std::string bytes_;
};

// What lies from `offset` on, at most `count` bytes.
[[nodiscard]] inline std::string text_at(ByteSource& source,
                                         std::int64_t offset,
                                         std::size_t count) {
  std::string text(count, '\0');
  text.resize(source.read_at(offset, std::as_writable_bytes(std::span(text))));
  return text;
}

}  // namespace diarize::test
