#pragma once

#include "io/byte_source.h"

#include <memory>
#include <vector>

namespace diarize {

// Bytes to show in place of those that lie at an offset.
struct Patch {
  std::int64_t offset = 0;
  std::vector<std::byte> bytes;
};

// Another source with a few bytes shown differently and with an end of its
// own: how a header that lies is put right without touching the file.
class PatchedBytes final : public ByteSource {
 public:
  // size: where the bytes end, at most where those of `inner` do; none leaves
  // that to `inner`.
  PatchedBytes(std::unique_ptr<ByteSource> inner, std::vector<Patch> patches,
               std::optional<std::int64_t> size);

  [[nodiscard]] std::size_t read_at(std::int64_t offset,
                                    std::span<std::byte> bytes) override;
  [[nodiscard]] std::optional<std::int64_t> size() const override;

 private:
  std::unique_ptr<ByteSource> inner_;
  std::vector<Patch> patches_;
  std::optional<std::int64_t> size_;
};

}  // namespace diarize
