#include "cli/report/report.h"

#include "cli/report/json_report.h"
#include "core/annotation.h"
#include "io/rttm.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <tuple>

namespace diarize {
namespace {

// A turn and where it is from.
struct PlacedTurn {
  Turn turn;
  int channel = 1;
};

bool is_before(const PlacedTurn& first, const PlacedTurn& second) {
  const auto key = [](const PlacedTurn& placed) {
    const Turn& turn = placed.turn;
    return std::tuple(turn.onset, turn.onset + turn.duration, placed.channel,
                      turn.speaker);
  };
  return key(first) < key(second);
}

// The turns of all channels in the order of the outputs.
std::vector<PlacedTurn> placed_turns(const FileDiarization& diarization,
                                     bool exclusive) {
  std::vector<PlacedTurn> placed;
  int channel = 0;
  for (const Diarization& found : diarization.channels) {
    ++channel;
    for (const Turn& turn : exclusive ? found.exclusive_turns : found.turns) {
      placed.push_back({turn, channel});
    }
  }
  if (diarization.by_channel) std::ranges::stable_sort(placed, is_before);
  return placed;
}

std::string rttm_report(const Report& report, bool exclusive) {
  std::string text;
  for (const auto& [turn, channel] :
       placed_turns(report.diarization, exclusive)) {
    text += rttm_text({turn}, report.file_id, channel,
                      label_prefix(report.diarization, channel));
  }
  return text;
}

}  // namespace

double FileDiarization::seconds() const {
  return channels.empty() ? 0.0 : channels.front().seconds;
}

int FileDiarization::num_speakers() const {
  int sum = 0;
  for (const Diarization& channel : channels) sum += channel.num_speakers;
  return sum;
}

std::vector<ReportTurn> report_turns(const FileDiarization& diarization,
                                     bool exclusive) {
  std::vector<ReportTurn> turns;
  for (const auto& [turn, channel] : placed_turns(diarization, exclusive)) {
    turns.push_back(
        {turn.onset, turn.duration, channel,
         speaker_label(turn.speaker, label_prefix(diarization, channel))});
  }
  return turns;
}

std::vector<std::string> report_labels(const FileDiarization& diarization) {
  std::vector<std::string> labels;
  int channel = 0;
  for (const Diarization& found : diarization.channels) {
    const std::string prefix = label_prefix(diarization, ++channel);
    for (int speaker = 0; speaker < found.num_speakers; ++speaker) {
      labels.push_back(speaker_label(speaker, prefix));
    }
  }
  return labels;
}

const std::vector<std::string>& report_formats() {
  static const std::vector<std::string> kFormats{"rttm", "json"};
  return kFormats;
}

std::string render_report(const std::string& format, const Report& report,
                          bool exclusive) {
  if (format == "rttm") return rttm_report(report, exclusive);
  if (format == "json") return json_report(report);
  throw std::logic_error("render_report: no format is named " + format);
}

std::string label_prefix(const FileDiarization& diarization, int channel) {
  return diarization.by_channel ? fmt::format("CH{}_SPEAKER_", channel)
                                : "SPEAKER_";
}

}  // namespace diarize
