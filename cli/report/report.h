#pragma once

#include "core/types.h"

#include <string>
#include <vector>

namespace diarize {

// What the writers are given of a recording.
struct Report {
  // The input as the user named it.
  std::string input;
  // Its name in RTTM, without white space.
  std::string file_id;
  Diarization diarization;
};

// Names of the formats, which are also the suffixes of the outputs.
[[nodiscard]] const std::vector<std::string>& report_formats();

// The text of an output in one of report_formats(), ending with a line feed
// unless it is empty.
//
// exclusive: RTTM of one speaker at a time.
// Throws std::logic_error for another format.
[[nodiscard]] std::string render_report(const std::string& format,
                                        const Report& report, bool exclusive);

// `SPEAKER_nn`.
[[nodiscard]] std::string speaker_label(int speaker);

}  // namespace diarize
