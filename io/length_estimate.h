#pragma once

#include <filesystem>

namespace diarize {

// How much audio a file may hold.
struct LengthEstimate {
  double seconds = 0.0;
  int num_channels = 1;
};

// How long a file may be, by its first kilobytes and its size: exact for WAV
// and AIFF of samples that stand one by one and for FLAC that states its
// length, else by what the bytes of such files usually last. For planning only:
// nothing is checked, nothing thrown and no decoder run, so that a hostile file
// does no harm; what is no file on a disk, or cannot be read, is 0 s long.
// Costs microseconds, and a few disk reads.
[[nodiscard]] LengthEstimate estimate_length(const std::filesystem::path& path);

}  // namespace diarize
