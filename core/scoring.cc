#include "core/scoring.h"

#include "core/hungarian.h"
#include "core/scored_speakers.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace diarize {
namespace {

// Where a span of a speaker starts (+1) or ends (-1).
struct Boundary {
  double time = 0.0;
  bool in_reference = false;
  std::size_t pair = 0;
  int change = 0;
};

// All boundaries by time. Pair n is reference speaker n and its counterpart;
// hypothesis speakers without one have the pairs after those.
std::vector<Boundary> boundaries_by_time(const ScoredSpeakers& reference,
                                         const ScoredSpeakers& hypothesis) {
  std::vector<Boundary> boundaries;
  const auto add = [&](const ScoredSpeaker& speaker, bool in_reference,
                       std::size_t pair) {
    for (const Span& span : speaker.spans) {
      boundaries.push_back({span.start, in_reference, pair, 1});
      boundaries.push_back({span.end, in_reference, pair, -1});
    }
  };
  for (std::size_t i = 0; i < reference.size(); ++i) add(reference[i], true, i);
  const auto mapping = map_speakers(hypothesis, reference);
  for (std::size_t i = 0; i < hypothesis.size(); ++i) {
    const bool is_mapped = mapping[i] != kUnassigned;
    add(hypothesis[i], false, is_mapped ? mapping[i] : reference.size() + i);
  }
  std::ranges::sort(boundaries, {}, &Boundary::time);
  return boundaries;
}

// How many spans are active at a time, by pair and in all.
class ActiveSpans {
 public:
  explicit ActiveSpans(std::size_t num_pairs) : pairs_(num_pairs) {}

  void apply(const Boundary& boundary) {
    auto& [reference, hypothesis] = pairs_[boundary.pair];
    correct_ -= std::min(reference, hypothesis);
    (boundary.in_reference ? reference : hypothesis) += boundary.change;
    (boundary.in_reference ? reference_ : hypothesis_) += boundary.change;
    correct_ += std::min(reference, hypothesis);
  }

  // What a piece of time adds in which nothing changes.
  [[nodiscard]] Score piece(double seconds) const {
    Score score;
    score.missed = seconds * std::max(0, reference_ - hypothesis_);
    score.false_alarm = seconds * std::max(0, hypothesis_ - reference_);
    score.confusion = seconds * (std::min(reference_, hypothesis_) - correct_);
    score.total = seconds * reference_;
    return score;
  }

 private:
  std::vector<std::pair<int, int>> pairs_;  // reference, hypothesis
  int reference_ = 0;
  int hypothesis_ = 0;
  int correct_ = 0;
};

// The part of the score that is time.
Score score_time(const ScoredSpeakers& reference,
                 const ScoredSpeakers& hypothesis) {
  Score score;
  ActiveSpans active(reference.size() + hypothesis.size());
  double begin = 0.0;
  for (const Boundary& boundary : boundaries_by_time(reference, hypothesis)) {
    score += active.piece(Span{begin, boundary.time}.duration());
    active.apply(boundary);
    begin = boundary.time;
  }
  return score;
}

double jaccard_error(const ScoredSpeaker& reference,
                     const ScoredSpeaker& hypothesis) {
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

// The part of the score that is by speaker.
Score score_speakers(const ScoredSpeakers& reference,
                     const ScoredSpeakers& hypothesis) {
  Score score;
  const auto mapping = map_speakers(reference, hypothesis);
  for (std::size_t i = 0; i < reference.size(); ++i) {
    score.speaker_error +=
        mapping[i] == kUnassigned
            ? 1.0
            : jaccard_error(reference[i], hypothesis[mapping[i]]);
  }
  score.num_speakers = static_cast<std::int64_t>(reference.size());
  return score;
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
  const Spans scored = scored_spans(reference, hypothesis, uem, options.collar,
                                    options.skip_overlap);
  const ScoredSpeakers reference_speakers =
      speakers_in(reference, scored, NamedBy::kLetters);
  const ScoredSpeakers hypothesis_speakers =
      speakers_in(hypothesis, scored, NamedBy::kDigits);
  Score result = score_time(reference_speakers, hypothesis_speakers);
  result += score_speakers(reference_speakers, hypothesis_speakers);
  return result;
}

}  // namespace diarize
