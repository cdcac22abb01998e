#pragma once

#include "cli/report/report.h"

#include <string>

namespace diarize {

// A recording as one line of JSON, an object with these keys in this order:
//
//   file             the input as the user named it
//   file_id          its name in RTTM
//   seconds          of audio
//   speakers         labels in order of first appearance, [] for silence
//   turns            {onset, duration, speaker}, sorted by onset; may overlap
//   exclusive_turns  the same, one speaker at a time
//
// Where each channel is a recording of its own (`--channel each`), each turn
// has its `channel` too, from 1, speakers are labelled `CH1_SPEAKER_00`, in the
// order of the channels, and one speaker at a time means in each of them.
// Times are seconds rounded to three decimals, as in RTTM. Bytes of the file
// name that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string json_report(const Report& report);

}  // namespace diarize
