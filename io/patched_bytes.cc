#include "io/patched_bytes.h"

#include <algorithm>

namespace diarize {

namespace {

// Lays the part of `patch` that falls into the bytes read from `offset` on
// over them.
void apply(const Patch& patch, std::int64_t offset,
           std::span<std::byte> bytes) {
  const std::int64_t begin = std::max(patch.offset, offset);
  const std::int64_t end = std::min(patch.offset + std::ssize(patch.bytes),
                                    offset + std::ssize(bytes));
  for (std::int64_t at = begin; at < end; ++at) {
    bytes[static_cast<std::size_t>(at - offset)] =
        patch.bytes[static_cast<std::size_t>(at - patch.offset)];
  }
}

}  // namespace

PatchedBytes::PatchedBytes(std::unique_ptr<ByteSource> inner,
                           std::vector<Patch> patches,
                           std::optional<std::int64_t> size)
    : inner_(std::move(inner)), patches_(std::move(patches)), size_(size) {}

std::size_t PatchedBytes::read_at(std::int64_t offset,
                                  std::span<std::byte> bytes) {
  if (size_) {
    const auto left = std::max<std::int64_t>(*size_ - offset, 0);
    if (left < std::ssize(bytes)) {
      bytes = bytes.first(static_cast<std::size_t>(left));
    }
  }
  const std::size_t count = inner_->read_at(offset, bytes);
  for (const Patch& patch : patches_) {
    apply(patch, offset, bytes.first(count));
  }
  return count;
}

std::optional<std::int64_t> PatchedBytes::size() const {
  return size_ ? size_ : inner_->size();
}

}  // namespace diarize
