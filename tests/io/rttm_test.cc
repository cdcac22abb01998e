#include "io/rttm.h"

#include "core/error.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <string_view>

using diarize::Annotation;
using diarize::parse_rttm;
using diarize::rttm_text;
using diarize::Turns;

TEST_SUITE("rttm") {
  TEST_CASE("a turn is written as a line of ten columns") {
    CHECK(rttm_text(Turns{{0.03096875, 2.5143, 0}, {12.5, 100, 12}}, "talk") ==
          "SPEAKER talk 1 0.031 2.514 <NA> <NA> SPEAKER_00 <NA> <NA>\n"
          "SPEAKER talk 1 12.500 100.000 <NA> <NA> SPEAKER_12 <NA> <NA>\n");
  }

  TEST_CASE("no turns are written as no text") {
    CHECK(rttm_text({}, "talk").empty());
  }

  TEST_CASE("the channel and the prefix of labels can be chosen") {
    CHECK(rttm_text(Turns{{1, 2, 3}}, "talk", 2, "CH2_SPEAKER_") ==
          "SPEAKER talk 2 1.000 2.000 <NA> <NA> CH2_SPEAKER_03 <NA> <NA>\n");
  }

  TEST_CASE("times are rounded correctly from the binary number") {
    // 0.0005 is a little more than its decimals and 1.0005 a little less,
    // 0.0625 is exact and a tie.
    const std::string text = rttm_text(Turns{{0.0005, 1.0005, 0}}, "x");
    CHECK(text.starts_with("SPEAKER x 1 0.001 1.000 "));
    CHECK(rttm_text(Turns{{0.0625, 0.1875, 0}}, "x")
              .starts_with("SPEAKER x 1 0.062 0.188 "));
  }

  TEST_CASE("a file id that would shift the columns is refused") {
    CHECK_THROWS_AS((void)rttm_text({}, "my talk"), std::logic_error);
    CHECK_THROWS_AS((void)rttm_text({}, ""), std::logic_error);
    CHECK_THROWS_AS((void)rttm_text({}, "x", 1, "A B"), std::logic_error);
  }

  TEST_CASE("what is written is read back") {
    const auto read =
        parse_rttm(rttm_text(Turns{{0.5, 1.25, 0}, {1, 2, 1}}, "talk"));
    REQUIRE(read.size() == 1);
    CHECK(read[0] ==
          Annotation{"talk",
                     {{0.5, 1.25, "SPEAKER_00"}, {1.0, 2.0, "SPEAKER_01"}}});
  }

  TEST_CASE("good lines are read") {
    for (const std::string_view line :
         {"SPEAKER f 1 1.5 2 <NA> <NA> bob <NA> <NA>",
          "SPEAKER f 1 1.5 2 <NA> <NA> bob <NA>\n",
          "SPEAKER f 1 1.5 2 <NA> <NA> bob",
          "  SPEAKER\tf  1 1.50 2.000\t<NA> <NA>  bob <NA> <NA>  \r\n",
          "SPEAKER f <NA> 15e-1 +2 <NA> <NA> bob <NA> <NA>\n",
          ";; by hand\n\n\xEF\xBB\xBF;; x\nSPEAKER f 1 1.5 2 - - bob",
          "\xEF\xBB\xBFSPEAKER f 1 1.5 2 <NA> <NA> bob <NA> <NA>\n"}) {
      CAPTURE(line);
      const auto read = parse_rttm(line);
      REQUIRE(read.size() == 1);
      CHECK(read[0] == Annotation{"f", {{1.5, 2.0, "bob"}}});
    }
  }

  TEST_CASE("bad lines are refused with their number") {
    for (const std::string_view line :
         {"SPEAKER f 1 1.5 2 <NA> <NA>", "SPEAKER", "SPEAKER f 1",
          "SPEAKER f 1 one 2 <NA> <NA> bob <NA> <NA>",
          "SPEAKER f 1 1.5 2s <NA> <NA> bob <NA> <NA>",
          "SPEAKER f 1 1,5 2 <NA> <NA> bob <NA> <NA>",
          "SPEAKER f 1 nan 2 <NA> <NA> bob <NA> <NA>",
          "SPEAKER f 1 1.5 -2 <NA> <NA> bob <NA> <NA>",
          "SPEAKER f 1 <NA> <NA> <NA> <NA> bob <NA> <NA>"}) {
      CAPTURE(line);
      const std::string text =
          "SPEAKER f 1 0 1 <NA> <NA> ann <NA> <NA>\n\n" + std::string(line);
      CHECK_THROWS_WITH_AS((void)parse_rttm(text),
                           doctest::Contains("line 3: "), diarize::InputError);
    }
  }

  TEST_CASE("labels may be any text") {
    const auto read = parse_rttm("SPEAKER f 1 0 1 <NA> <NA> MÉO069 <NA> <NA>");
    CHECK(read.at(0).turns.at(0).label == "MÉO069");
  }

  TEST_CASE("a file may hold several recordings in any order") {
    const auto read = parse_rttm(
        "SPEAKER b 1 0 1 <NA> <NA> x <NA> <NA>\n"
        "SPEAKER a 1 0 1 <NA> <NA> y <NA> <NA>\n"
        "SPEAKER b 2 5 1 <NA> <NA> z <NA> <NA>\n");
    REQUIRE(read.size() == 2);
    CHECK(read[0] == Annotation{"b", {{0, 1, "x"}, {5, 1, "z"}}});
    CHECK(read[1] == Annotation{"a", {{0, 1, "y"}}});
  }

  TEST_CASE("other types give no turns but name their file") {
    const auto read = parse_rttm(
        "SPKR-INFO a 1 <NA> <NA> <NA> unknown bob <NA>\n"
        "LEXEME a 1 bad time hello lex bob <NA>\n"
        "NONSENSE c\n"
        "SPEAKER b 1 0 1 <NA> <NA> x <NA> <NA>\n");
    REQUIRE(read.size() == 2);
    CHECK(read[0] == Annotation{"a", {}});
    CHECK(read[1] == Annotation{"b", {{0, 1, "x"}}});
  }

  TEST_CASE("blank text holds no recording") {
    CHECK(parse_rttm("").empty());
    CHECK(parse_rttm("\r\n  \n;; only a comment\n").empty());
  }

  TEST_CASE("text that is not RTTM at all is refused") {
    CHECK_THROWS_WITH_AS((void)parse_rttm("\nstart,end\n0,1\n"),
                         doctest::Contains("line 2: begins with 'start,end'"),
                         diarize::InputError);
  }
}
