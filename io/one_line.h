#pragma once

#include <string>
#include <string_view>

namespace diarize {

// `text` made fit for a message: control characters, line ends among them,
// become `?`, and what is longer than 400 bytes is cut, with `...` at its
// end. For messages with names that come out of a file that may be hostile.
[[nodiscard]] std::string one_line(std::string_view text);

}  // namespace diarize
