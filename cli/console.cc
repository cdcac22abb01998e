#include "cli/console.h"

#include <ostream>

namespace diarize {
namespace {

// Back to the first column, and delete to the end of the line.
constexpr const char* kClearLine = "\r\x1b[K";

}  // namespace

Console::Console(std::ostream& error_stream, const TalkOptions& options,
                 bool is_terminal)
    : stream_(error_stream),
      is_quiet_(options.quiet),
      is_verbose_(options.verbose && !options.quiet),
      has_status_(is_terminal && !options.quiet) {}

void Console::error(const std::string& message) { line(message); }

void Console::note(const std::string& message) {
  if (!is_quiet_) line(message);
}

void Console::detail(const std::string& message) {
  if (is_verbose_) line(message);
}

void Console::status(const std::string& text) {
  if (!has_status_) return;
  const std::lock_guard lock(mutex_);
  status_ = text;
  stream_ << kClearLine << status_ << std::flush;
}

void Console::line(const std::string& message) {
  const std::lock_guard lock(mutex_);
  if (!status_.empty()) stream_ << kClearLine;
  stream_ << "diarize: " << message << '\n' << status_ << std::flush;
}

}  // namespace diarize
