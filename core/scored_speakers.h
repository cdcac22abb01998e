#pragma once

#include "core/annotation.h"
#include "core/spans.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace diarize {

// The first half of scoring: what of the recording is scored, who speaks in
// it, and which speakers of the two annotations are the same. All of it as in
// pyannote.metrics 4.0 (UEMSupportMixin.uemify, HungarianMapper).

// When one label is active.
struct ScoredSpeaker {
  Spans spans;                     // by start, then end; may overlap
  std::vector<double> latest_end;  // (num_spans) of the spans up to each
};

using ScoredSpeakers = std::vector<ScoredSpeaker>;

// What of the recording is scored, as a support.
//
// uem: what may be; none means from the first start to the last end of both.
// collar: seconds left out on each side of every start and end of a reference
// turn. skip_overlap: leave out where two reference turns overlap, of one
// label too. Cost: n log n in the number of turns.
[[nodiscard]] Spans scored_spans(const Annotation& reference,
                                 const Annotation& hypothesis,
                                 const std::optional<Spans>& uem, double collar,
                                 bool skip_overlap);

// Which names pyannote.metrics gives the sorted labels before it sorts by the
// names: A, B, ... Z, AA, ... to references and 0, 1, ... to hypotheses.
enum class NamedBy { kLetters, kDigits };

// The labels that have time in `scored`, a support, sorted by those names: the
// order decides which of two equally good mappings is found.
[[nodiscard]] ScoredSpeakers speakers_in(const Annotation& annotation,
                                         std::span<const Span> scored,
                                         NamedBy named_by);

// For each of `rows` its counterpart in `columns`, or kUnassigned: one to one,
// so that the time which pairs have in common is greatest; never a pair with
// none. Spans that overlap count each. Sums run over the rows' spans first, as
// in pyannote.core: swapping the sides may decide another way between equals.
// Cost: with n spans of rows, k speakers on each side and p pairs of spans
// that overlap, n k log n + p + k^3.
[[nodiscard]] std::vector<std::int32_t> map_speakers(
    const ScoredSpeakers& rows, const ScoredSpeakers& columns);

}  // namespace diarize
