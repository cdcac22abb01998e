#pragma once

#include <string_view>

namespace diarize {

// A file that is published, by its bytes.
struct KnownModel {
  std::string_view sha256;
  std::string_view origin;       // where it is published, and its name there
  std::string_view licence;      // SPDX
  std::string_view attribution;  // whom to name
};

// The published file with these bytes; null if none is known. Known are the
// files of the default set, of pyannote's community-1 and of its 3.1.
[[nodiscard]] const KnownModel* find_known_model(std::string_view sha256);

}  // namespace diarize
