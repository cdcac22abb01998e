#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace diarize {

// The bytes of an audio file, wherever they come from. Not thread safe.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Fills `bytes` with what lies from `offset` on and returns how many there
  // were: fewer than asked for only at the end. Throws InputError when the
  // device fails.
  [[nodiscard]] virtual std::size_t read_at(std::int64_t offset,
                                            std::span<std::byte> bytes) = 0;

  // How many bytes there are; none if only the end of a stream will tell.
  [[nodiscard]] virtual std::optional<std::int64_t> size() const = 0;
};

}  // namespace diarize
