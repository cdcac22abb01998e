#include "cli/score_report.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <string>

using diarize::ScoreReport;

namespace {

// Two recordings of 10 s and 30 s of speech.
ScoreReport report() {
  return {{{"first", {1.0, 2.0, 0.5, 10.0, 0.75, 3}},
           {"zweite_Übung", {3.0, 0.0, 0.0, 30.0, 0.25, 1}}},
          {0.25, true}};
}

}  // namespace

TEST_SUITE("score_report") {
  TEST_CASE("the table has a line a file and the pooled line at the end") {
    CHECK(diarize::score_table(report()) ==
          "file            DER% missed% false_alarm% confusion%    JER%   "
          "speech_s\n"
          "first          35.00   10.00        20.00       5.00   25.00   "
          "   10.00\n"
          "zweite_Übung   10.00   10.00         0.00       0.00   25.00   "
          "   30.00\n"
          "pooled         16.25   10.00         5.00       1.25   25.00   "
          "   40.00\n");
  }

  TEST_CASE("errors without reference speech are a rate of one") {
    const std::string table =
        diarize::score_table({{{"x", {0.0, 2.0, 0.0, 0.0, 0.0, 0}}}, {}});
    CHECK(table.ends_with(
        "pooled  100.00    0.00       100.00       0.00  100.00       0.00\n"));
  }

  TEST_CASE("JSON has seconds and rates of every file and pooled") {
    const std::string text = diarize::score_json(report());
    CHECK(text.find('\n') == text.size() - 1);
    const auto json = nlohmann::json::parse(text);
    CHECK(json.at("collar") == 0.25);
    CHECK(json.at("skip_overlap") == true);
    REQUIRE(json.at("files").size() == 2);
    const auto& file = json.at("files")[0];
    CHECK(file.at("file_id") == "first");
    CHECK(file.at("missed") == 1.0);
    CHECK(file.at("false_alarm") == 2.0);
    CHECK(file.at("confusion") == 0.5);
    CHECK(file.at("total") == 10.0);
    CHECK(file.at("der") == 0.35);
    CHECK(file.at("missed_rate") == 0.1);
    CHECK(file.at("false_alarm_rate") == 0.2);
    CHECK(file.at("confusion_rate") == 0.05);
    CHECK(file.at("jer") == 0.25);
    CHECK(file.at("speakers") == 3);
    CHECK(file.at("speaker_error") == 0.75);
    const auto& pooled = json.at("pooled");
    CHECK(pooled.at("total") == 40.0);
    CHECK(pooled.at("der") == 0.1625);
    CHECK(pooled.at("jer") == 0.25);
    CHECK_FALSE(pooled.contains("file_id"));
  }

  TEST_CASE("a file id that is no text does not break JSON") {
    const std::string text = diarize::score_json({{{"\xFF", {}}}, {}});
    CHECK(nlohmann::json::accept(text));
  }
}
