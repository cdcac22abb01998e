#include "core/spans.h"

#include <algorithm>

namespace diarize {

Span intersection(const Span& a, const Span& b) {
  return {std::max(a.start, b.start), std::min(a.end, b.end)};
}

Spans support(Spans spans) {
  std::erase_if(spans, [](const Span& span) { return span.empty(); });
  std::ranges::sort(spans, {}, [](const Span& span) {
    return std::pair(span.start, span.end);
  });
  Spans result;
  for (const Span& span : spans) {
    if (result.empty() || !Span{result.back().end, span.start}.empty()) {
      result.push_back(span);
    } else {
      result.back().end = std::max(result.back().end, span.end);
    }
  }
  return result;
}

Spans difference(std::span<const Span> spans, std::span<const Span> holes) {
  Spans result;
  const auto add = [&result](const Span& span) {
    if (!span.empty()) result.push_back(span);
  };
  for (const Span& span : spans) {
    double begin = span.start;
    for (const Span& hole : crop(span, holes)) {
      add({begin, hole.start});
      begin = hole.end;
    }
    add({begin, span.end});
  }
  return result;
}

Spans crop(const Span& span, std::span<const Span> parts) {
  Spans result;
  const auto first = std::ranges::upper_bound(
      parts, span.start, {}, [](const Span& part) { return part.end; });
  for (auto part = first; part != parts.end() && part->start < span.end;
       ++part) {
    const Span common = intersection(span, *part);
    if (!common.empty()) result.push_back(common);
  }
  return result;
}

double total_duration(std::span<const Span> spans) {
  double seconds = 0.0;
  for (const Span& span : spans) seconds += span.duration();
  return seconds;
}

}  // namespace diarize
