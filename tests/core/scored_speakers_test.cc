#include "core/scored_speakers.h"

#include "core/hungarian.h"

#include <doctest/doctest.h>

#include <optional>
#include <string>

using diarize::Annotation;
using diarize::kUnassigned;
using diarize::map_speakers;
using diarize::NamedBy;
using diarize::ScoredSpeakers;
using diarize::Spans;
using diarize::speakers_in;

namespace {

const Spans kAll = {{-100, 100}};

ScoredSpeakers speakers(const Annotation& annotation) {
  return speakers_in(annotation, kAll, NamedBy::kDigits);
}

const Annotation kReference = {"talk", {{2, 4, "a"}, {5, 3, "b"}}};

// Labels l00, l01, ... of which the n-th speaks for n + 1 seconds.
Annotation many_labels(int count) {
  Annotation annotation;
  for (int n = 0; n < count; ++n) {
    const std::string label = (n < 10 ? "l0" : "l") + std::to_string(n);
    annotation.turns.push_back({0, n + 1.0, label});
  }
  return annotation;
}

// Which of many_labels() the n-th speaker is.
int label_of(const ScoredSpeakers& all, std::size_t n) {
  return static_cast<int>(all.at(n).spans.at(0).end) - 1;
}

}  // namespace

TEST_SUITE("scored_speakers") {
  TEST_CASE("all is scored without a map from the first to the last turn") {
    CHECK(diarize::scored_spans(kReference, {"talk", {{0, 1, "x"}}},
                                std::nullopt, 0.0, false) == Spans{{0, 8}});
    CHECK(diarize::scored_spans({}, {}, std::nullopt, 1.0, true).empty());
  }

  TEST_CASE("collars and overlap are taken out of the map") {
    CHECK(
        diarize::scored_spans(kReference, {}, Spans{{0, 20}}, 0.25, false) ==
        Spans{{0, 1.75}, {2.25, 4.75}, {5.25, 5.75}, {6.25, 7.75}, {8.25, 20}});
    CHECK(diarize::scored_spans(kReference, {}, Spans{{0, 20}}, 0.0, true) ==
          Spans{{0, 5}, {6, 20}});
    CHECK(diarize::scored_spans(kReference, {}, Spans{{0, 20}}, 0.5, true) ==
          Spans{{0, 1.5}, {2.5, 4.5}, {6.5, 7.5}, {8.5, 20}});
  }

  TEST_CASE("a single turn overlaps nothing") {
    CHECK(diarize::scored_spans({"talk", {{1, 2, "a"}}}, {}, std::nullopt, 0.0,
                                true) == Spans{{1, 3}});
  }

  TEST_CASE("turns are cut to what is scored and labels without time go") {
    const auto found = speakers_in(
        {"talk", {{4, 4, "b"}, {0, 2, "b"}, {2, 1, "a"}, {1, 0, "c"}}},
        Spans{{1, 2}, {3, 5}, {7, 9}}, NamedBy::kLetters);
    REQUIRE(found.size() == 1);
    CHECK(found[0].spans == Spans{{1, 2}, {4, 5}, {7, 8}});
  }

  TEST_CASE("the latest end is known where a turn lies within another") {
    const auto found =
        speakers({"talk", {{0, 9, "a"}, {1, 2, "a"}, {8, 4, "a"}}});
    REQUIRE(found.size() == 1);
    CHECK(found[0].latest_end == std::vector<double>{9, 9, 12});
  }

  TEST_CASE("eleven hypothesis speakers are sorted as the text of numbers") {
    const auto found = speakers_in(many_labels(12), kAll, NamedBy::kDigits);
    CHECK(label_of(found, 1) == 1);
    CHECK(label_of(found, 2) == 10);
    CHECK(label_of(found, 3) == 11);
    CHECK(label_of(found, 4) == 2);
  }

  TEST_CASE("twenty-seven reference speakers are sorted as letters") {
    const auto found = speakers_in(many_labels(28), kAll, NamedBy::kLetters);
    CHECK(label_of(found, 0) == 0);
    CHECK(label_of(found, 1) == 26);  // AA
    CHECK(label_of(found, 2) == 27);  // AB
    CHECK(label_of(found, 3) == 1);
    CHECK(label_of(found, 27) == 25);
  }

  TEST_CASE("speakers without common time have no counterpart") {
    const auto rows = speakers({"", {{0, 1, "a"}, {4, 1, "b"}}});
    const auto columns = speakers({"", {{4, 2, "x"}, {8, 1, "y"}}});
    CHECK(map_speakers(rows, columns) ==
          std::vector<std::int32_t>{kUnassigned, 0});
    CHECK(map_speakers(columns, rows) ==
          std::vector<std::int32_t>{1, kUnassigned});
    CHECK(map_speakers(rows, {}) ==
          std::vector<std::int32_t>{kUnassigned, kUnassigned});
  }

  TEST_CASE("a long turn before short ones is not overlooked") {
    // a starts first and ends last; its short turns come between.
    const auto rows =
        speakers({"", {{0, 50, "a"}, {1, 1, "a"}, {2, 1, "a"}, {40, 5, "b"}}});
    const auto columns = speakers({"", {{40, 8, "x"}, {60, 1, "y"}}});
    CHECK(map_speakers(columns, rows) ==
          std::vector<std::int32_t>{0, kUnassigned});
  }
}
