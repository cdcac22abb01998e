#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace diarize {

// What a file is, by its first bytes (256 are enough), in words for a message:
// "an MPEG-4 file (m4a, mp4, mov)", "text", "a PNG picture"; where it is
// nothing known, "not a known format (begins with 3f 2a 11 07)".
[[nodiscard]] std::string container_name(std::span<const std::byte> head);

}  // namespace diarize
