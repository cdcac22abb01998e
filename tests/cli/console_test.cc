#include "cli/console.h"

#include <doctest/doctest.h>

#include <sstream>

namespace {

// What is said when a name holds what moves a terminal's cursor.
std::string said(const std::string& log_format) {
  std::ostringstream errors;
  diarize::TalkOptions talk;
  talk.log_format = log_format;
  diarize::Console console(errors, talk, false);
  console.error("a\nb\x1b[2Jc\xc3\xa9.wav: missing");
  return errors.str();
}

}  // namespace

TEST_SUITE("console") {
  TEST_CASE("a message is one line whatever the name of a file holds") {
    CHECK(said("text") == "diarize: a?b?[2Jc\xc3\xa9.wav: missing\n");
    CHECK(said("json") ==
          "{\"level\":\"error\",\"message\":\"a\\nb\\u001b[2Jc\xc3\xa9.wav: "
          "missing\"}\n");
    CHECK(diarize::printable("\t\x7f ") == "?? ");
  }

  TEST_CASE("only a table has lines below it") {
    std::ostringstream errors;
    diarize::Console console(errors, {}, false);
    console.table("title\x07", "one\ntwo");
    CHECK(errors.str() == "diarize: title?\none\ntwo\n");
  }
}
