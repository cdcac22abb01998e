#pragma once

#include "cli/options.h"

#include <iosfwd>
#include <mutex>
#include <string>

namespace diarize {

// A message with `?` for each control character, line ends among them: names of
// files may hold any.
[[nodiscard]] std::string printable(std::string text);

// What the program says on standard error, a line a message, with a status
// line below them on a terminal. Threads may share it.
class Console {
 public:
  // error_stream must outlive the console. is_terminal: of that stream, for
  // `--progress auto`.
  Console(std::ostream& error_stream, const TalkOptions& options,
          bool is_terminal);

  // Always said.
  void error(const std::string& message);
  // Said unless --quiet.
  void warning(const std::string& message);
  void note(const std::string& message);
  // A note with lines below it.
  void table(const std::string& title, const std::string& lines);
  // Said with --verbose alone.
  void detail(const std::string& message);

  // Replaces the status line; nothing if there is no terminal, or --quiet.
  void status(const std::string& text);

  // Whether a status line can be shown.
  [[nodiscard]] bool has_status() const { return has_status_; }
  [[nodiscard]] bool is_verbose() const { return is_verbose_; }

 private:
  void line(const char* level, const std::string& message,
            const std::string& below = "");

  std::ostream& stream_;
  bool is_quiet_;
  bool is_verbose_;
  bool has_status_;
  bool is_json_;
  std::mutex mutex_;
  std::string status_;
};

}  // namespace diarize
