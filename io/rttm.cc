#include "io/rttm.h"

#include "core/error.h"
#include "io/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <stdexcept>

namespace diarize {
namespace {

// Rich Transcription Fall 2009 evaluation plan, appendix A (NIST).
constexpr std::array<std::string_view, 14> kRttmTypes = {
    "SPEAKER", "SPKR-INFO", "SEGMENT",    "NOSCORE", "NO_RT_METADATA",
    "LEXEME",  "NON-LEX",   "NON-SPEECH", "FILLER",  "EDIT",
    "SU",      "IP",        "CB",         "A/P"};

void require_one_column(std::string_view text, const char* name) {
  if (text.empty() || text.find_first_of(" \t\r\n\v\f") != text.npos) {
    throw std::logic_error(fmt::format(
        "RTTM: the {} is '{}', expected text without white space", name, text));
  }
}

LabelledTurn parse_turn(const ColumnsLine& line) {
  require_columns(line, 8, "a SPEAKER line (its label is the eighth)");
  const double onset = seconds_in(line, 3, "onset");
  const double duration = seconds_in(line, 4, "duration");
  if (duration < 0.0) {
    throw InputError(
        fmt::format("line {}: the duration is {}, expected 0 or "
                    "more seconds",
                    line.number, line.columns[4]));
  }
  return {onset, duration, std::string(line.columns[7])};
}

}  // namespace

std::string rttm_text(const Turns& turns, std::string_view file_id, int channel,
                      std::string_view label_prefix) {
  require_one_column(file_id, "file id");
  require_one_column(label_prefix, "label prefix");
  std::string text;
  for (const Turn& turn : turns) {
    fmt::format_to(std::back_inserter(text),
                   "SPEAKER {} {} {:.3f} {:.3f} <NA> <NA> {} <NA> <NA>\n",
                   file_id, channel, turn.onset, turn.duration,
                   speaker_label(turn.speaker, label_prefix));
  }
  return text;
}

std::vector<Annotation> parse_rttm(std::string_view text) {
  const std::vector<ColumnsLine> lines = lines_of_columns(text);
  std::vector<Annotation> annotations;
  std::map<std::string_view, std::size_t> index;  // by file id
  for (const ColumnsLine& line : lines) {
    const std::string_view type = line.columns[0];
    if (std::ranges::find(kRttmTypes, type) == kRttmTypes.end()) continue;
    require_columns(line, 2, "an RTTM line (its file id is the second)");
    const std::string_view file_id = line.columns[1];
    const auto [place, is_new] = index.try_emplace(file_id, index.size());
    if (is_new) annotations.push_back({std::string(file_id), {}});
    if (type != "SPEAKER") continue;
    annotations[place->second].turns.push_back(parse_turn(line));
  }
  if (annotations.empty() && !lines.empty()) {
    throw InputError(fmt::format(
        "line {}: begins with '{}', expected RTTM (lines that begin with "
        "SPEAKER)",
        lines[0].number, lines[0].columns[0]));
  }
  return annotations;
}

}  // namespace diarize
