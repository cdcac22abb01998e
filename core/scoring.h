#pragma once

#include "core/annotation.h"
#include "core/spans.h"

#include <cstdint>
#include <optional>

namespace diarize {

// What of the recording is not scored.
struct ScoringOptions {
  // Seconds left out on each side of every start and end of a reference turn.
  // As in md-eval.pl (0.25 in NIST's evaluations); pyannote.metrics' collar is
  // twice this, the whole width. 0 is its default.
  double collar = 0.0;
  // Leave out where two reference turns overlap, of one label too.
  bool skip_overlap = false;
};

// How far a hypothesis is from its reference. Add up scores of several
// recordings to pool them.
struct Score {
  // Speaker time in seconds: two speaking for a second are two seconds.
  double missed = 0.0;
  double false_alarm = 0.0;
  double confusion = 0.0;
  double total = 0.0;  // in the reference
  // Sum over the reference's speakers of their Jaccard errors, each 0 to 1.
  double speaker_error = 0.0;
  std::int64_t num_speakers = 0;  // in the reference

  // Diarization error rate: the share of `total` that is missed, false alarm
  // or confusion. Without reference speech 0 if there is no error, else 1.
  [[nodiscard]] double der() const;

  // Jaccard error rate: the mean of the speakers' errors. Without reference
  // speakers 0 if there is no false alarm, else 1.
  [[nodiscard]] double jer() const;

  Score& operator+=(const Score& other);
};

// Scores one recording as pyannote.metrics 4.0 does, DiarizationErrorRate and
// JaccardErrorRate.
//
// uem: the spans to score; none means from the first start to the last end in
// either annotation. What `options` leave out is taken away from it, and both
// annotations are cropped to the rest. There, speakers are mapped one to one
// so that the time which pairs have in common is greatest. Then time is cut at
// every start and end: in a piece where r reference turns and h hypothesis
// turns are active, c of them in pairs, max(0, r - h) are missed,
// max(0, h - r) false alarm and min(r, h) - c confusion. A label that is twice
// active counts twice.
// The Jaccard error of a reference speaker is the time in which either it or
// its counterpart speaks but not both, over the time in which any of the two
// does (second DIHARD challenge, evaluation plan 1.1); 1 without counterpart.
// Spans of a microsecond or less are nothing. Where two mappings are equally
// good, the one that pyannote.metrics finds is taken.
// Cost: with n turns, k speakers and p overlapping pairs of a reference and a
// hypothesis turn, n log n + n k log n + p + k^3.
[[nodiscard]] Score score(const Annotation& reference,
                          const Annotation& hypothesis,
                          const std::optional<Spans>& uem,
                          const ScoringOptions& options);

}  // namespace diarize
