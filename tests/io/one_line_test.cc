#include "io/one_line.h"

#include <doctest/doctest.h>

#include <string>

using diarize::one_line;

TEST_SUITE("one_line") {
  TEST_CASE("plain text and UTF-8 stay as they are") {
    CHECK(one_line("tensor 'caf\xC3\xA9' is missing") ==
          "tensor 'caf\xC3\xA9' is missing");
    CHECK(one_line("").empty());
  }

  TEST_CASE("control characters become question marks") {
    CHECK(one_line("a\nb\r\tc\x1b\x7f") == "a?b??c??");
    CHECK(one_line(std::string_view("a\0b", 3)) == "a?b");
  }

  TEST_CASE("long text is cut and says so") {
    const std::string cut = one_line(std::string(401, 'x'));
    CHECK(cut.size() == 403);
    CHECK(cut.ends_with("x..."));
    CHECK(one_line(std::string(400, 'x')).size() == 400);
  }
}
