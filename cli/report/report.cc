#include "cli/report/report.h"

#include "cli/report/json_report.h"
#include "io/rttm.h"

#include <fmt/format.h>

#include <array>
#include <stdexcept>

namespace diarize {
namespace {

std::string rttm_report(const Report& report, bool exclusive) {
  const Diarization& found = report.diarization;
  return rttm_text(exclusive ? found.exclusive_turns : found.turns,
                   report.file_id);
}

}  // namespace

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

std::string speaker_label(int speaker) {
  return fmt::format("SPEAKER_{:02}", speaker);
}

}  // namespace diarize
