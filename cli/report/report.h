#pragma once

#include "core/types.h"

#include <string>
#include <vector>

namespace diarize {

// Who spoke when in a file.
struct FileDiarization {
  // One, of all channels together; by_channel: one for each, in their order.
  std::vector<Diarization> channels;
  // Whether the channels are recordings of their own, of the same length.
  bool by_channel = false;

  // Length of the audio, s; 0 if there are no channels.
  [[nodiscard]] double seconds() const;
  // Of all channels together: nobody is on two of them.
  [[nodiscard]] int num_speakers() const;
};

// What the writers are given of a recording.
struct Report {
  // The input as the user named it.
  std::string input;
  // Its name in RTTM, without white space.
  std::string file_id;
  FileDiarization diarization;
};

// A turn as the outputs show it.
struct ReportTurn {
  double onset = 0.0;     // s
  double duration = 0.0;  // s
  int channel = 1;        // from 1; 1 where channels are not told apart
  std::string speaker;    // its label
};

// The turns of a file, sorted by onset, then end, channel and speaker.
//
// exclusive: one speaker at a time, within each channel.
[[nodiscard]] std::vector<ReportTurn> report_turns(
    const FileDiarization& diarization, bool exclusive);

// The labels of all speakers, by channel, then by first appearance in it.
[[nodiscard]] std::vector<std::string> report_labels(
    const FileDiarization& diarization);

// Names of the formats, which are also the suffixes of the outputs.
[[nodiscard]] const std::vector<std::string>& report_formats();

// The text of an output in one of report_formats(), ending with a line feed
// unless it is empty.
//
// exclusive: RTTM of one speaker at a time.
// Throws std::logic_error for another format.
[[nodiscard]] std::string render_report(const std::string& format,
                                        const Report& report, bool exclusive);

// What the number of a speaker follows in a label: `SPEAKER_`, or
// `CH2_SPEAKER_` where the second channel is a recording of its own. channel:
// from 1.
[[nodiscard]] std::string label_prefix(const FileDiarization& diarization,
                                       int channel);

}  // namespace diarize
