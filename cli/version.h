#pragma once

#include <string>

namespace diarize {

// `0.1.0`
[[nodiscard]] std::string program_version();

// `diarize 0.1.0`, and a line with the versions of the libraries.
[[nodiscard]] std::string version_text();

// A line on what holds decoder processes back, see io/sandbox.h.
[[nodiscard]] std::string sandbox_text();

}  // namespace diarize
