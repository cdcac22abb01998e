#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace diarize {

// A number of bytes as people write it: `500M`, `2G`, `1.5GiB`, `4096`. As with
// GNU's tools K, M, G, T alone or with `iB` are powers of 1024, with `B` powers
// of 1000, in capitals or not. None if it is anything else, not above 0, or
// more than there are numbers for.
[[nodiscard]] std::optional<std::size_t> parse_bytes(std::string_view text);

// `18.4M` as parse_bytes() reads it, rounded up: no fewer bytes than given.
[[nodiscard]] std::string bytes_text(std::size_t bytes);

}  // namespace diarize
