#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace diarize {

// One speaker speaking for a while, named by text: what is read from
// references and hypotheses, where labels can be anything.
struct LabelledTurn {
  double onset = 0.0;     // s
  double duration = 0.0;  // s, at least 0
  std::string label;      // UTF-8, no white space

  [[nodiscard]] double end() const { return onset + duration; }

  friend bool operator==(const LabelledTurn&, const LabelledTurn&) = default;
};

// Who spoke when in one recording, in any order. Turns may overlap, turns of
// the same label too.
struct Annotation {
  std::string file_id;
  std::vector<LabelledTurn> turns;

  friend bool operator==(const Annotation&, const Annotation&) = default;
};

// What the n-th speaker is called: the prefix and at least two digits, such
// as SPEAKER_00 and SPEAKER_100 (pyannote.audio, SpeakerDiarization.classes).
[[nodiscard]] std::string speaker_label(std::int32_t speaker,
                                        std::string_view prefix = "SPEAKER_");

}  // namespace diarize
