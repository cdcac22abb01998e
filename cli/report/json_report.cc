#include "cli/report/json_report.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <utility>

namespace diarize {
namespace {

using Json = nlohmann::ordered_json;

double milliseconds(double seconds) {
  return std::round(seconds * 1000.0) / 1000.0;
}

Json turns_json(const FileDiarization& diarization, bool exclusive) {
  Json result = Json::array();
  for (const ReportTurn& turn : report_turns(diarization, exclusive)) {
    Json object = {{"onset", milliseconds(turn.onset)},
                   {"duration", milliseconds(turn.duration)},
                   {"speaker", turn.speaker}};
    if (diarization.by_channel) object["channel"] = turn.channel;
    result.push_back(std::move(object));
  }
  return result;
}

}  // namespace

std::string json_report(const Report& report) {
  const FileDiarization& found = report.diarization;
  const Json object = {{"file", report.input},
                       {"file_id", report.file_id},
                       {"seconds", milliseconds(found.seconds())},
                       {"speakers", report_labels(found)},
                       {"turns", turns_json(found, false)},
                       {"exclusive_turns", turns_json(found, true)}};
  return object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace diarize
