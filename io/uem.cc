#include "io/uem.h"

#include "core/error.h"
#include "io/columns.h"

#include <fmt/format.h>

namespace diarize {
namespace {

Span parse_span(const ColumnsLine& line) {
  require_columns(line, 4, "a UEM line (file id, channel, start, end)");
  const Span span{seconds_in(line, 2, "start"), seconds_in(line, 3, "end")};
  if (span.end < span.start) {
    throw InputError(fmt::format("line {}: ends at {}, before its start at {}",
                                 line.number, line.columns[3],
                                 line.columns[2]));
  }
  return span;
}

}  // namespace

Uem parse_uem(std::string_view text) {
  Uem uem;
  for (const ColumnsLine& line : lines_of_columns(text)) {
    const Span span = parse_span(line);
    uem[std::string(line.columns[0])].push_back(span);
  }
  return uem;
}

}  // namespace diarize
