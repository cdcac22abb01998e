#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace diarize {

// A line of a text file whose columns are separated by white space.
struct ColumnsLine {
  int number = 0;                         // in the file, from 1
  std::vector<std::string_view> columns;  // never none
};

// The lines of `text` that hold anything, as NIST's formats (RTTM, UEM) have
// them: blank lines and comments, which begin with `;;`, are left out.
// A UTF-8 byte order mark and carriage returns count as white space.
// The columns point into `text`, which has to outlive them.
[[nodiscard]] std::vector<ColumnsLine> lines_of_columns(std::string_view text);

// The seconds in a column. `name` says what the column is.
// Throws InputError, naming the line, if they are not a finite number.
[[nodiscard]] double seconds_in(const ColumnsLine& line, std::size_t column,
                                std::string_view name);

// Throws InputError, naming the line, if it has fewer columns. `what` says
// what such a line has to have.
void require_columns(const ColumnsLine& line, std::size_t num_columns,
                     std::string_view what);

// All bytes of a file. Throws InputError, without the path, if it cannot be
// read or is a folder.
[[nodiscard]] std::string read_text_file(const std::filesystem::path& path);

}  // namespace diarize
