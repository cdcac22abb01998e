#include "io/columns.h"

#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>

namespace diarize {
namespace {

constexpr std::string_view kWhiteSpace = " \t\r\v\f";
// Thirty years: what is longer is no time in a recording, and adding it up
// would lose all others.
constexpr double kMostSeconds = 1e9;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::vector<std::string_view> split_columns(std::string_view line) {
  std::vector<std::string_view> columns;
  std::size_t begin = line.find_first_not_of(kWhiteSpace);
  while (begin != std::string_view::npos) {
    const std::size_t end =
        std::min(line.find_first_of(kWhiteSpace, begin), line.size());
    columns.push_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(kWhiteSpace, end);
  }
  return columns;
}

}  // namespace

std::vector<ColumnsLine> lines_of_columns(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) {
    text.remove_prefix(kByteOrderMark.size());
  }
  std::vector<ColumnsLine> lines;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (text.substr(0, end).find('\0') != std::string_view::npos) {
      throw InputError(
          fmt::format("line {}: holds a NUL byte, expected text", number));
    }
    std::vector<std::string_view> columns = split_columns(text.substr(0, end));
    if (!columns.empty() && !columns[0].starts_with(";;")) {
      lines.push_back({number, std::move(columns)});
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

double seconds_in(const ColumnsLine& line, std::size_t column,
                  std::string_view name) {
  const std::string_view text = line.columns[column];
  const std::string_view digits =
      text.starts_with('+') && !text.starts_with("+-") ? text.substr(1) : text;
  double seconds = 0.0;
  const auto [end, fault] =
      std::from_chars(digits.data(), digits.data() + digits.size(), seconds);
  if (fault != std::errc() || end != digits.data() + digits.size() ||
      !(std::abs(seconds) <= kMostSeconds)) {
    throw InputError(
        fmt::format("line {}: the {} is '{}', expected seconds, at most 1e9",
                    line.number, name, text));
  }
  return seconds;
}

void require_columns(const ColumnsLine& line, std::size_t num_columns,
                     std::string_view what) {
  if (line.columns.size() < num_columns) {
    throw InputError(fmt::format("line {}: {} columns, expected {} of {}",
                                 line.number, line.columns.size(), num_columns,
                                 what));
  }
}

std::string read_text_file(const std::filesystem::path& path) {
  if (std::filesystem::is_directory(path)) {
    throw InputError("is a folder, expected a file");
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw InputError(fmt::format("cannot be opened: {}", std::strerror(errno)));
  }
  std::ostringstream text;
  text << file.rdbuf();
  if (file.bad()) throw InputError("cannot be read to its end");
  return std::move(text).str();
}

}  // namespace diarize
