#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace diarize::test {

// A file to be in an archive.
struct StoredFile {
  std::string_view name;
  std::span<const std::byte> bytes;
};

// A zip archive without compression, as torch.save writes it, with checksums
// that are right whatever the bytes (APPNOTE.TXT 6.3.10 of PKWARE, 4.3.7,
// 4.3.12 and 4.3.16).
[[nodiscard]] std::vector<std::byte> stored_zip(
    const std::vector<StoredFile>& files);

}  // namespace diarize::test
