#include "core/scored_speakers.h"

#include "core/array.h"
#include "core/hungarian.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace diarize {
namespace {

Span span_of(const LabelledTurn& turn) { return {turn.onset, turn.end()}; }

// Of the turns that have any time, sorted.
Spans spans_of(const Annotation& annotation) {
  Spans spans;
  for (const LabelledTurn& turn : annotation.turns) {
    if (!span_of(turn).empty()) spans.push_back(span_of(turn));
  }
  std::ranges::sort(spans);
  return spans;
}

// From the first start to the last end; none where there are no turns.
Spans extent(const Annotation& reference, const Annotation& hypothesis) {
  Spans spans = spans_of(reference);
  std::ranges::copy(spans_of(hypothesis), std::back_inserter(spans));
  if (spans.empty()) return {};
  return {{std::ranges::min(spans, {}, &Span::start).start,
           std::ranges::max(spans, {}, &Span::end).end}};
}

Spans collars(std::span<const Span> turns, double collar) {
  Spans result;
  for (const Span& turn : turns) {
    result.push_back({turn.start - collar, turn.start + collar});
    result.push_back({turn.end - collar, turn.end + collar});
  }
  return result;
}

// Where two or more of the turns overlap; `turns` is sorted.
Spans overlaps(std::span<const Span> turns) {
  Spans result;
  double latest_end = turns.empty() ? 0.0 : turns[0].start;
  for (const Span& turn : turns) {
    result.push_back({turn.start, std::min(turn.end, latest_end)});
    latest_end = std::max(latest_end, turn.end);
  }
  return result;
}

std::string name_of(std::size_t index, NamedBy named_by) {
  if (named_by == NamedBy::kDigits) return std::to_string(index);
  std::string name;
  for (++index; index > 0; index = (index - 1) / 26) {
    name.insert(name.begin(), static_cast<char>('A' + (index - 1) % 26));
  }
  return name;
}

ScoredSpeaker speaker_of(Spans spans) {
  std::ranges::sort(spans);
  std::vector<double> latest_end;
  for (const Span& span : spans) {
    latest_end.push_back(
        latest_end.empty() ? span.end : std::max(latest_end.back(), span.end));
  }
  return {std::move(spans), std::move(latest_end)};
}

// The time that each span of one has in common with each span of the other.
double common_time(const ScoredSpeaker& row, const ScoredSpeaker& column) {
  double seconds = 0.0;
  for (const Span& span : row.spans) {
    const auto reached =
        std::ranges::upper_bound(column.latest_end, span.start);
    for (std::size_t i = reached - column.latest_end.begin();
         i < column.spans.size() && column.spans[i].start < span.end; ++i) {
      seconds += intersection(span, column.spans[i]).duration();
    }
  }
  return seconds;
}

}  // namespace

Spans scored_spans(const Annotation& reference, const Annotation& hypothesis,
                   const std::optional<Spans>& uem, double collar,
                   bool skip_overlap) {
  const Spans all = uem ? support(*uem) : extent(reference, hypothesis);
  const Spans turns = spans_of(reference);
  Spans holes;
  if (collar > 0.0) holes = collars(turns, collar);
  if (skip_overlap) std::ranges::copy(overlaps(turns), back_inserter(holes));
  return difference(all, support(std::move(holes)));
}

ScoredSpeakers speakers_in(const Annotation& annotation,
                           std::span<const Span> scored, NamedBy named_by) {
  std::map<std::string_view, Spans> by_label;
  for (const LabelledTurn& turn : annotation.turns) {
    if (span_of(turn).empty()) continue;
    const Spans cropped = crop(span_of(turn), scored);
    if (cropped.empty()) continue;
    std::ranges::copy(cropped, std::back_inserter(by_label[turn.label]));
  }
  std::map<std::string, ScoredSpeaker> by_name;
  for (auto& [label, spans] : by_label) {
    by_name.emplace(name_of(by_name.size(), named_by),
                    speaker_of(std::move(spans)));
  }
  ScoredSpeakers speakers;
  for (auto& [name, speaker] : by_name) speakers.push_back(std::move(speaker));
  return speakers;
}

std::vector<std::int32_t> map_speakers(const ScoredSpeakers& rows,
                                       const ScoredSpeakers& columns) {
  Array<double, 2> common({rows.size(), columns.size()}, 0.0);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t column = 0; column < columns.size(); ++column) {
      common(row, column) = common_time(rows[row], columns[column]);
    }
  }
  std::vector<std::int32_t> mapping = best_assignment(common);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (mapping[row] != kUnassigned && common(row, mapping[row]) <= 0.0) {
      mapping[row] = kUnassigned;
    }
  }
  return mapping;
}

}  // namespace diarize
