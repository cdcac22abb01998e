#include "io/uem.h"

#include "core/error.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using diarize::parse_uem;
using diarize::Spans;

TEST_SUITE("uem") {
  TEST_CASE("spans are gathered by file") {
    const auto uem = parse_uem(
        ";; what is scored\r\n"
        "b 1 0.000 30.000\r\n"
        "\n"
        "a  1\t5 7.5\n"
        "b NA 40 41.25 more\n");
    REQUIRE(uem.size() == 2);
    CHECK(uem.at("a") == Spans{{5, 7.5}});
    CHECK(uem.at("b") == Spans{{0, 30}, {40, 41.25}});
  }

  TEST_CASE("blank text holds nothing") {
    CHECK(parse_uem("").empty());
    CHECK(parse_uem("\n;; nothing\n").empty());
  }

  TEST_CASE("bad lines are refused with their number") {
    for (const std::string_view line :
         {"a 1 0", "a 1 zero 1", "a 1 0 1s", "a 1 0 inf", "a 1 2 1"}) {
      CAPTURE(line);
      CHECK_THROWS_WITH_AS((void)parse_uem("a 1 0 1\n" + std::string(line)),
                           doctest::Contains("line 2: "), diarize::InputError);
    }
  }
}
