#pragma once

#include "core/spans.h"

#include <map>
#include <string>
#include <string_view>

namespace diarize {

// What is to be scored, by file id.
using Uem = std::map<std::string, Spans, std::less<>>;

// What un-partitioned evaluation map text holds: lines of file id, channel,
// start and end in seconds. Channels are not told apart; a file id may have
// any number of spans, in any order. Blank lines and `;;` comments are
// skipped. Throws InputError, naming the line, where columns are missing, a
// time is not a number or the end is before the start.
[[nodiscard]] Uem parse_uem(std::string_view text);

}  // namespace diarize
