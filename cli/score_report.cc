#include "cli/score_report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>

namespace diarize {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kPooled = "pooled";

// Characters, so that columns stay in line: UTF-8 without its continuations.
std::size_t width_of(std::string_view text) {
  return std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; });
}

// The share of the reference that a part of the error is; as of the whole
// error, 1 where there is error but no reference.
double rate(double seconds, double total) {
  if (total > 0.0) return seconds / total;
  return seconds > 0.0 ? 1.0 : 0.0;
}

std::string table_line(std::string_view name, const Score& score,
                       std::size_t width) {
  const std::string padding(width - width_of(name), ' ');
  return fmt::format(
      "{}{} {:>7.2f} {:>7.2f} {:>12.2f} {:>10.2f} {:>7.2f} {:>10.2f}\n", name,
      padding, 100 * score.der(), 100 * rate(score.missed, score.total),
      100 * rate(score.false_alarm, score.total),
      100 * rate(score.confusion, score.total), 100 * score.jer(), score.total);
}

Json score_object(const Score& score) {
  return {{"der", score.der()},
          {"missed_rate", rate(score.missed, score.total)},
          {"false_alarm_rate", rate(score.false_alarm, score.total)},
          {"confusion_rate", rate(score.confusion, score.total)},
          {"jer", score.jer()},
          {"missed", score.missed},
          {"false_alarm", score.false_alarm},
          {"confusion", score.confusion},
          {"total", score.total},
          {"speaker_error", score.speaker_error},
          {"speakers", score.num_speakers}};
}

}  // namespace

Score pooled_score(const ScoreReport& report) {
  Score pooled;
  for (const FileScore& file : report.files) pooled += file.score;
  return pooled;
}

std::string score_table(const ScoreReport& report) {
  std::size_t width = kPooled.size();
  for (const FileScore& file : report.files) {
    width = std::max(width, width_of(file.file_id));
  }
  std::string table = fmt::format(
      "{:<{}} {:>7} {:>7} {:>12} {:>10} {:>7} {:>10}\n", "file", width, "DER%",
      "missed%", "false_alarm%", "confusion%", "JER%", "speech_s");
  for (const FileScore& file : report.files) {
    table += table_line(file.file_id, file.score, width);
  }
  return table + table_line(kPooled, pooled_score(report), width);
}

std::string score_json(const ScoreReport& report) {
  Json files = Json::array();
  for (const FileScore& file : report.files) {
    Json object = {{"file_id", file.file_id}};
    object.update(score_object(file.score));
    files.push_back(std::move(object));
  }
  const Json json = {{"collar", report.options.collar},
                     {"skip_overlap", report.options.skip_overlap},
                     {"files", std::move(files)},
                     {"pooled", score_object(pooled_score(report))}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace diarize
