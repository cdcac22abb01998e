#include "io/columns.h"

#include "core/error.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string_view>

namespace {

double seconds(std::string_view text) {
  return diarize::seconds_in({3, {"file", text}}, 1, "onset");
}

}  // namespace

TEST_SUITE("columns") {
  TEST_CASE("columns are separated by any white space") {
    const auto lines = diarize::lines_of_columns("a  b\tc\r\n \vd\f\n");
    REQUIRE(lines.size() == 2);
    CHECK(lines[0].columns == std::vector<std::string_view>{"a", "b", "c"});
    CHECK(lines[1].columns == std::vector<std::string_view>{"d"});
    CHECK(lines[1].number == 2);
  }

  TEST_CASE("blank lines and comments are counted but left out") {
    const auto lines =
        diarize::lines_of_columns("\n;; comment\n  ;;x\n \r\nlast");
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].number == 5);
    CHECK(lines[0].columns == std::vector<std::string_view>{"last"});
  }

  TEST_CASE("a byte order mark is no part of the first column") {
    const auto lines = diarize::lines_of_columns("\xEF\xBB\xBFSPEAKER\n");
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].columns[0] == "SPEAKER");
    CHECK(diarize::lines_of_columns("\xEF\xBB\xBF").empty());
  }

  TEST_CASE("seconds are decimal numbers in any notation") {
    CHECK(seconds("1.25") == 1.25);
    CHECK(seconds("+3") == 3.0);
    CHECK(seconds("-0.5") == -0.5);
    CHECK(seconds(".5") == 0.5);
    CHECK(seconds("1e2") == 100.0);
  }

  TEST_CASE("what is not a finite number is refused with its line") {
    for (const std::string_view bad :
         {"", "abc", "1.5s", "1,5", "nan", "inf", "1e999", "1e300", "-1e10",
          "+-1", "0x10"}) {
      CAPTURE(bad);
      CHECK_THROWS_WITH_AS(seconds(bad),
                           doctest::Contains("line 3: the onset is"),
                           diarize::InputError);
    }
  }

  TEST_CASE("a NUL byte is refused with its line") {
    CHECK_THROWS_WITH_AS(
        (void)diarize::lines_of_columns(std::string_view("a b\nc\0d e\n", 10)),
        "line 2: holds a NUL byte, expected text", diarize::InputError);
  }

  TEST_CASE("a line with too few columns is refused with its line") {
    const diarize::ColumnsLine line{7, {"a", "b"}};
    CHECK_NOTHROW(diarize::require_columns(line, 2, "a pair"));
    CHECK_THROWS_WITH_AS(diarize::require_columns(line, 3, "a triple"),
                         "line 7: 2 columns, expected 3 of a triple",
                         diarize::InputError);
  }

  TEST_CASE("a file that is absent or a folder is refused") {
    const auto folder = std::filesystem::temp_directory_path();
    CHECK_THROWS_AS((void)diarize::read_text_file(folder / "no such file"),
                    diarize::InputError);
    CHECK_THROWS_AS((void)diarize::read_text_file(folder), diarize::InputError);
  }
}
