#pragma once

#include "core/annotation.h"
#include "core/types.h"

#include <string>
#include <string_view>
#include <vector>

namespace diarize {

// Turns as Rich Transcription Time Marked text, one line a turn in the order
// of `turns`, byte for byte what pyannote.core's Annotation.to_rttm writes:
//
//   SPEAKER file_id 1 0.031 2.514 <NA> <NA> SPEAKER_00 <NA> <NA>
//
// Onset and duration in seconds, correctly rounded to three decimals; the
// label is `label_prefix` and the speaker in at least two digits. No turns
// make empty text. Throws std::logic_error if the file id or the prefix is
// empty or holds white space, which would shift the columns.
[[nodiscard]] std::string rttm_text(const Turns& turns,
                                    std::string_view file_id, int channel = 1,
                                    std::string_view label_prefix = "SPEAKER_");

// What RTTM text holds, an annotation for each file id in the order of their
// first lines; turns in the order of theirs.
//
// Columns are separated by any white space; of a SPEAKER line the second is
// the file id, the fourth the onset, the fifth the duration and the eighth
// the label. Channels are not told apart. Lines of NIST's other types give no
// turns (a file id that only they name has none), blank lines and `;;`
// comments nothing at all. Blank text gives no annotation.
// Throws InputError, naming the line, where a SPEAKER line has too few
// columns, a time that is not a number or a negative duration; and where
// there are lines but none of an RTTM type.
[[nodiscard]] std::vector<Annotation> parse_rttm(std::string_view text);

}  // namespace diarize
