#pragma once

#include "io/byte_source.h"
#include "io/file_descriptor.h"

namespace diarize {

// A file on a disk, read by position: descriptors that share one offset do
// not disturb each other.
class FileBytes final : public ByteSource {
 public:
  // Throws InputError if the descriptor cannot be examined.
  explicit FileBytes(FileDescriptor file);

  // Throws InputError if the file has become shorter since it was opened.
  [[nodiscard]] std::size_t read_at(std::int64_t offset,
                                    std::span<std::byte> bytes) override;
  [[nodiscard]] std::optional<std::int64_t> size() const override {
    return size_;
  }

 private:
  FileDescriptor file_;
  std::int64_t size_ = 0;  // when it was opened
};

}  // namespace diarize
