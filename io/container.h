#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace diarize {

// Who may be able to read a kind of file.
enum class ContainerReader {
  kSndfile,
  kFfmpeg,  // it holds sound or pictures, but libsndfile does not know it
  kNobody,  // it is something else, or nothing known
};

// What a file is, by its first bytes.
struct Container {
  // In words for a message: "an MPEG-4 file (m4a, mp4, mov)", "text", "a PNG
  // picture"; where it is nothing known, "not a known format (begins with 3f
  // 2a 11 07)".
  std::string name;
  ContainerReader reader = ContainerReader::kNobody;
};

// head: the beginning of the file; 256 bytes are enough.
[[nodiscard]] Container identify_container(std::span<const std::byte> head);

}  // namespace diarize
