#include "cli/report/json_report.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace diarize {
namespace {

using Json = nlohmann::ordered_json;

double milliseconds(double seconds) {
  return std::round(seconds * 1000.0) / 1000.0;
}

Json turns_json(const Turns& turns) {
  Json result = Json::array();
  for (const Turn& turn : turns) {
    result.push_back({{"onset", milliseconds(turn.onset)},
                      {"duration", milliseconds(turn.duration)},
                      {"speaker", speaker_label(turn.speaker)}});
  }
  return result;
}

Json labels_json(int num_speakers) {
  Json result = Json::array();
  for (int speaker = 0; speaker < num_speakers; ++speaker) {
    result.push_back(speaker_label(speaker));
  }
  return result;
}

}  // namespace

std::string json_report(const Report& report) {
  const Diarization& found = report.diarization;
  const Json object = {{"file", report.input},
                       {"file_id", report.file_id},
                       {"seconds", milliseconds(found.seconds)},
                       {"speakers", labels_json(found.num_speakers)},
                       {"turns", turns_json(found.turns)},
                       {"exclusive_turns", turns_json(found.exclusive_turns)}};
  return object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace diarize
