#pragma once

#include <filesystem>
#include <string>

namespace diarize {

// SHA-256 of a file's bytes in 64 lower-case hexadecimal digits. The file is
// read in blocks, so memory does not grow with it. Throws FatalError that
// begins with the path if it cannot be read to its end.
[[nodiscard]] std::string sha256_of_file(const std::filesystem::path& path);

}  // namespace diarize
