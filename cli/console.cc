#include "cli/console.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <ostream>

namespace diarize {
namespace {

// Back to the first column, and delete to the end of the line.
constexpr const char* kClearLine = "\r\x1b[K";

bool shows_status(const TalkOptions& options, bool is_terminal) {
  if (options.quiet || options.log_format == "json") return false;
  return options.progress == "on" ||
         (options.progress == "auto" && is_terminal);
}

std::string json_line(const char* level, const std::string& message) {
  using Json = nlohmann::ordered_json;
  return Json{{"level", level}, {"message", message}}.dump(
      -1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string printable(std::string text) {
  std::ranges::replace_if(
      text,
      [](char letter) {
        const auto byte = static_cast<unsigned char>(letter);
        return byte < 0x20 || byte == 0x7F;
      },
      '?');
  return text;
}

Console::Console(std::ostream& error_stream, const TalkOptions& options,
                 bool is_terminal)
    : stream_(error_stream),
      is_quiet_(options.quiet),
      is_verbose_(options.verbose && !options.quiet),
      has_status_(shows_status(options, is_terminal)),
      is_json_(options.log_format == "json") {}

void Console::error(const std::string& message) { line("error", message); }

void Console::warning(const std::string& message) {
  if (!is_quiet_) line("warning", message);
}

void Console::note(const std::string& message) {
  if (!is_quiet_) line("info", message);
}

void Console::table(const std::string& title, const std::string& lines) {
  if (!is_quiet_) line("info", title, lines);
}

void Console::detail(const std::string& message) {
  if (is_verbose_) line("detail", message);
}

void Console::status(const std::string& text) {
  if (!has_status_) return;
  const std::lock_guard lock(mutex_);
  status_ = text;
  stream_ << kClearLine << status_ << std::flush;
}

void Console::line(const char* level, const std::string& message,
                   const std::string& below) {
  const std::string rest = below.empty() ? below : '\n' + below;
  const std::lock_guard lock(mutex_);
  if (!status_.empty()) stream_ << kClearLine;
  stream_ << (is_json_ ? json_line(level, message + rest)
                       : "diarize: " + printable(message) + rest)
          << '\n'
          << status_ << std::flush;
}

}  // namespace diarize
