#include "core/scoring.h"

#include "core/hungarian.h"

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace diarize {
namespace {

// When one label is active: sorted by start, then end; spans may overlap.
struct Speaker {
  Spans spans;
  std::vector<double> latest_end;  // of the spans up to each
};

// In the order of the rows or columns of the co-occurrence.
using Speakers = std::vector<Speaker>;

Span span_of(const LabelledTurn& turn) { return {turn.onset, turn.end()}; }

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

// Where two or more of the spans overlap; `spans` is sorted.
void add_overlaps(std::span<const Span> spans, Spans& overlaps) {
  if (spans.empty()) return;
  double latest_end = spans[0].end;
  for (const Span& span : spans.subspan(1)) {
    overlaps.push_back({span.start, std::min(span.end, latest_end)});
    latest_end = std::max(latest_end, span.end);
  }
}

// What is scored, as a support.
Spans scored_spans(const Annotation& reference, const Annotation& hypothesis,
                   const std::optional<Spans>& uem,
                   const ScoringOptions& options) {
  const Spans all = uem ? support(*uem) : extent(reference, hypothesis);
  const Spans turns = spans_of(reference);
  Spans holes;
  if (options.collar > 0.0) {
    for (const Span& turn : turns) {
      for (const double time : {turn.start, turn.end}) {
        holes.push_back({time - options.collar, time + options.collar});
      }
    }
  }
  if (options.skip_overlap) add_overlaps(turns, holes);
  return difference(all, support(std::move(holes)));
}

// A, B, ... Z, AA, AB, ...: what pyannote.core renames reference labels to.
std::string letters(std::size_t index) {
  std::string name;
  for (++index; index > 0; index = (index - 1) / 26) {
    name.insert(name.begin(), static_cast<char>('A' + (index - 1) % 26));
  }
  return name;
}

std::string digits(std::size_t index) { return std::to_string(index); }

// The speakers with time in `scored`. pyannote.metrics numbers the sorted
// labels with `name` and sorts by that text; so do we, because the order
// decides which of two equally good mappings is found.
Speakers speakers_in(const Annotation& annotation, std::span<const Span> scored,
                     std::string (*name)(std::size_t)) {
  std::map<std::string_view, Spans> by_label;
  for (const LabelledTurn& turn : annotation.turns) {
    const Span span = span_of(turn);
    if (span.empty()) continue;
    const Spans cropped = crop(span, scored);
    if (cropped.empty()) continue;
    std::ranges::copy(cropped, std::back_inserter(by_label[turn.label]));
  }
  std::map<std::string, Speaker> by_name;
  for (auto& [label, spans] : by_label) {
    std::ranges::sort(spans);
    std::vector<double> latest_end;
    for (const Span& span : spans) {
      latest_end.push_back(latest_end.empty()
                               ? span.end
                               : std::max(latest_end.back(), span.end));
    }
    by_name[name(by_name.size())] = {std::move(spans), std::move(latest_end)};
  }
  Speakers speakers;
  for (auto& [_, speaker] : by_name) speakers.push_back(std::move(speaker));
  return speakers;
}

// Adds the time that a span has in common with each span of a speaker.
void add_common_time(const Span& span, const Speaker& other, double& seconds) {
  const auto reaches = std::ranges::upper_bound(other.latest_end, span.start);
  for (std::size_t i = reaches - other.latest_end.begin();
       i < other.spans.size() && other.spans[i].start < span.end; ++i) {
    seconds += intersection(span, other.spans[i]).duration();
  }
}

// For each of `rows` the counterpart in `columns`, or kUnassigned.
// The sums run over the rows' spans first, as the co-occurrence of
// pyannote.core does: rounding may decide between mappings.
std::vector<std::int32_t> map_speakers(const Speakers& rows,
                                       const Speakers& columns) {
  Array<double, 2> common({rows.size(), columns.size()}, 0.0);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t column = 0; column < columns.size(); ++column) {
      for (const Span& span : rows[row].spans) {
        add_common_time(span, columns[column], common(row, column));
      }
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

// A turn's start (+1) or end (-1).
struct Boundary {
  double time = 0.0;
  bool in_reference = false;
  std::size_t pair = 0;  // the reference speaker, or a number of its own
  int change = 0;
};

void add_boundaries(const Speaker& speaker, bool in_reference, std::size_t pair,
                    std::vector<Boundary>& boundaries) {
  for (const Span& span : speaker.spans) {
    boundaries.push_back({span.start, in_reference, pair, 1});
    boundaries.push_back({span.end, in_reference, pair, -1});
  }
}

// All boundaries by time. Pair n is reference speaker n and its counterpart;
// hypothesis speakers without one have the pairs after those.
std::vector<Boundary> boundaries_by_time(const Speakers& reference,
                                         const Speakers& hypothesis) {
  std::vector<Boundary> boundaries;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    add_boundaries(reference[i], true, i, boundaries);
  }
  const auto mapping = map_speakers(hypothesis, reference);
  for (std::size_t i = 0; i < hypothesis.size(); ++i) {
    const std::size_t pair = mapping[i] != kUnassigned
                                 ? static_cast<std::size_t>(mapping[i])
                                 : reference.size() + i;
    add_boundaries(hypothesis[i], false, pair, boundaries);
  }
  std::ranges::sort(boundaries, {}, &Boundary::time);
  return boundaries;
}

// How many turns are active at a time, by pair and in all.
class ActiveTurns {
 public:
  explicit ActiveTurns(std::size_t num_pairs) : pairs_(num_pairs) {}

  void apply(const Boundary& boundary) {
    auto& [reference, hypothesis] = pairs_[boundary.pair];
    correct_ -= std::min(reference, hypothesis);
    (boundary.in_reference ? reference : hypothesis) += boundary.change;
    (boundary.in_reference ? reference_ : hypothesis_) += boundary.change;
    correct_ += std::min(reference, hypothesis);
  }

  void add_piece(double seconds, Score& score) const {
    score.total += seconds * reference_;
    score.missed += seconds * std::max(0, reference_ - hypothesis_);
    score.false_alarm += seconds * std::max(0, hypothesis_ - reference_);
    score.confusion += seconds * (std::min(reference_, hypothesis_) - correct_);
  }

 private:
  std::vector<std::pair<int, int>> pairs_;  // reference, hypothesis
  int reference_ = 0;
  int hypothesis_ = 0;
  int correct_ = 0;
};

void add_error_time(const Speakers& reference, const Speakers& hypothesis,
                    Score& score) {
  ActiveTurns active(reference.size() + hypothesis.size());
  double begin = 0.0;
  for (const Boundary& boundary : boundaries_by_time(reference, hypothesis)) {
    const Span piece{begin, boundary.time};
    if (!piece.empty()) active.add_piece(piece.duration(), score);
    active.apply(boundary);
    begin = boundary.time;
  }
}

double jaccard_error(const Speaker& reference, const Speaker& hypothesis) {
  const Spans first = support(reference.spans);
  const Spans second = support(hypothesis.spans);
  double common = 0.0;
  for (const Span& span : first) common += total_duration(crop(span, second));
  const double missed = total_duration(first) - common;
  const double false_alarm = total_duration(second) - common;
  Spans either = first;
  std::ranges::copy(second, std::back_inserter(either));
  return (false_alarm + missed) / total_duration(support(std::move(either)));
}

void add_speaker_errors(const Speakers& reference, const Speakers& hypothesis,
                        Score& score) {
  const auto mapping = map_speakers(reference, hypothesis);
  for (std::size_t i = 0; i < reference.size(); ++i) {
    score.speaker_error +=
        mapping[i] == kUnassigned
            ? 1.0
            : jaccard_error(reference[i], hypothesis[mapping[i]]);
  }
  score.num_speakers += static_cast<std::int64_t>(reference.size());
}

}  // namespace

double Score::der() const {
  const double error = missed + false_alarm + confusion;
  if (total > 0.0) return error / total;
  return error > 0.0 ? 1.0 : 0.0;
}

double Score::jer() const {
  if (num_speakers > 0) {
    return speaker_error / static_cast<double>(num_speakers);
  }
  return false_alarm > 0.0 ? 1.0 : 0.0;
}

Score& Score::operator+=(const Score& other) {
  missed += other.missed;
  false_alarm += other.false_alarm;
  confusion += other.confusion;
  total += other.total;
  speaker_error += other.speaker_error;
  num_speakers += other.num_speakers;
  return *this;
}

Score score(const Annotation& reference, const Annotation& hypothesis,
            const std::optional<Spans>& uem, const ScoringOptions& options) {
  const Spans scored = scored_spans(reference, hypothesis, uem, options);
  const Speakers reference_speakers = speakers_in(reference, scored, letters);
  const Speakers hypothesis_speakers = speakers_in(hypothesis, scored, digits);
  Score result;
  add_error_time(reference_speakers, hypothesis_speakers, result);
  add_speaker_errors(reference_speakers, hypothesis_speakers, result);
  return result;
}

}  // namespace diarize
