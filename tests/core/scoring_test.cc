#include "core/scoring.h"

#include "io/columns.h"
#include "io/rttm.h"
#include "tests/support/shared_data.h"

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <optional>
#include <random>
#include <string>

using diarize::Annotation;
using diarize::Score;
using diarize::ScoringOptions;
using diarize::Spans;

namespace {

// Rounding of sums of a few decimal seconds.
constexpr double kRounding = 1e-12;

doctest::Approx near(double value) {
  return doctest::Approx(value).epsilon(kRounding).scale(1.0);
}

Score score(const Annotation& reference, const Annotation& hypothesis,
            const ScoringOptions& options = {},
            const std::optional<Spans>& uem = std::nullopt) {
  return diarize::score(reference, hypothesis, uem, options);
}

Annotation read_first(const std::filesystem::path& path) {
  return diarize::parse_rttm(diarize::read_text_file(path)).at(0);
}

// Two speakers with an overlap from 8 to 10.
Annotation two_speakers() { return {"talk", {{0, 10, "ann"}, {8, 12, "bob"}}}; }

}  // namespace

TEST_SUITE("scoring") {
  TEST_CASE("a perfect hypothesis has no error whatever its labels") {
    const Score result =
        score(two_speakers(), {"talk", {{8, 12, "x"}, {0, 10, "y"}}});
    CHECK(result.total == 22.0);
    CHECK(result.missed == 0.0);
    CHECK(result.false_alarm == 0.0);
    CHECK(result.confusion == 0.0);
    CHECK(result.speaker_error == 0.0);
    CHECK(result.num_speakers == 2);
    CHECK(result.der() == 0.0);
    CHECK(result.jer() == 0.0);
  }

  TEST_CASE("missed and false alarm and confusion are told apart") {
    // ann is x and bob is y; x speaks until 9, y from 9 to 16 and from 18 to
    // 22, and x again from 12 to 13.
    const Annotation hypothesis = {
        "talk", {{0, 9, "x"}, {9, 7, "y"}, {12, 1, "x"}, {18, 4, "y"}}};
    const Score result = score(two_speakers(), hypothesis);
    CHECK(result.total == 22.0);
    CHECK(result.missed == 4.0);       // 8 to 10 one of two, 16 to 18 both
    CHECK(result.false_alarm == 3.0);  // 12 to 13 and 20 to 22
    CHECK(result.confusion == 0.0);
    CHECK(result.der() == near(7.0 / 22.0));
    // ann: missed 1, false alarm 1 of 11. bob: missed 3, false alarm 2 of 14.
    CHECK(result.speaker_error == near(2.0 / 11.0 + 5.0 / 14.0));
    CHECK(result.jer() == near(result.speaker_error / 2));
  }

  TEST_CASE("speech of the wrong speaker is confusion") {
    const Annotation reference = {"talk", {{0, 6, "ann"}, {6, 4, "bob"}}};
    const Score result = score(reference, {"talk", {{0, 10, "x"}}});
    CHECK(result.confusion == 4.0);
    CHECK(result.missed == 0.0);
    CHECK(result.false_alarm == 0.0);
    // bob has no counterpart, ann's speaks for 10.
    CHECK(result.speaker_error == near(0.4 + 1.0));
  }

  TEST_CASE("speakers are mapped for the greatest time in all") {
    // x has 10 with ann and 9 with bob, y has 9 with ann and 1 with bob.
    const Annotation reference = {"talk", {{0, 19, "ann"}, {20, 10, "bob"}}};
    const Annotation hypothesis = {
        "talk", {{0, 10, "x"}, {10, 9, "y"}, {20, 9, "x"}, {29, 1, "y"}}};
    CHECK(score(reference, hypothesis).confusion == 11.0);
  }

  TEST_CASE("a label that is twice active counts twice") {
    const Annotation reference = {"talk", {{0, 4, "ann"}, {2, 4, "ann"}}};
    const Score once = score(reference, {"talk", {{0, 6, "x"}}});
    CHECK(once.total == 8.0);
    CHECK(once.missed == 2.0);
    CHECK(once.der() == 0.25);
    // What is covered counts once in the Jaccard error.
    CHECK(once.speaker_error == 0.0);

    const Score twice = score({"talk", {{0, 6, "x"}}}, reference);
    CHECK(twice.false_alarm == 2.0);
    CHECK(twice.total == 6.0);
  }

  TEST_CASE("equal lines are separate turns") {
    const Annotation doubled = {"talk", {{1, 2, "ann"}, {1, 2, "ann"}}};
    CHECK(score(doubled, {"talk", {{1, 2, "x"}}}).missed == 2.0);
    CHECK(score(doubled, doubled).der() == 0.0);
  }

  TEST_CASE("the collar lies on each side of every reference boundary") {
    const Annotation reference = {"talk", {{2, 6, "ann"}}};
    // 1.75 to 2.25 and 7.75 to 8.25 are left out.
    const Score result = score(reference, {"talk", {{1, 4, "x"}, {5, 4, "y"}}},
                               {.collar = 0.25, .skip_overlap = false});
    CHECK(result.total == 5.5);
    CHECK(result.false_alarm == 0.75 + 0.75);
    CHECK(result.confusion == 2.75);
    CHECK(result.missed == 0.0);
  }

  TEST_CASE("collars that meet leave nothing between them") {
    const Annotation reference = {"talk", {{2, 1, "ann"}, {10, 5, "ann"}}};
    const Score result = score(reference, {"talk", {{1, 0.2, "x"}}},
                               {.collar = 0.5, .skip_overlap = false});
    CHECK(result.total == 4.0);
    CHECK(result.missed == 4.0);
    CHECK(result.false_alarm == near(0.2));
  }

  TEST_CASE("overlap can be left out") {
    const Annotation hypothesis = {"talk", {{0, 20, "x"}}};
    const ScoringOptions skip = {.collar = 0.0, .skip_overlap = true};
    const Score result = score(two_speakers(), hypothesis, skip);
    CHECK(result.total == 18.0);
    CHECK(result.missed == 0.0);
    CHECK(result.confusion == 8.0);
  }

  TEST_CASE("overlap of a label with itself is left out too") {
    const Annotation reference = {
        "talk", {{0, 10, "ann"}, {1, 2, "ann"}, {8, 4, "ann"}}};
    const Score result =
        score(reference, {"talk", {}}, {.collar = 0.0, .skip_overlap = true});
    CHECK(result.total == 12.0 - 2.0 - 2.0);
  }

  TEST_CASE("only the evaluation map is scored") {
    const Annotation hypothesis = {"talk", {{0, 30, "x"}}};
    const Score result =
        score(two_speakers(), hypothesis, {}, Spans{{1, 3}, {2, 4}, {18, 22}});
    CHECK(result.total == 5.0);
    CHECK(result.false_alarm == 2.0);
    CHECK(result.confusion == 2.0);
    // Nothing is scored where the map is empty.
    CHECK(score(two_speakers(), hypothesis, {}, Spans{}).total == 0.0);
  }

  TEST_CASE("collars of turns outside the map reach into it") {
    const Annotation reference = {"talk", {{0, 5, "ann"}}};
    const Score result =
        score(reference, {"talk", {{5, 5, "x"}}},
              {.collar = 1.0, .skip_overlap = false}, Spans{{5.5, 10}});
    CHECK(result.false_alarm == 4.0);
  }

  TEST_CASE("without a map the extent of both annotations is scored") {
    const Score result =
        score({"talk", {{5, 1, "ann"}}}, {"talk", {{0, 2, "x"}}});
    CHECK(result.missed == 1.0);
    CHECK(result.false_alarm == 2.0);
  }

  TEST_CASE("an empty hypothesis misses all") {
    const Score result = score(two_speakers(), {"talk", {}});
    CHECK(result.missed == 22.0);
    CHECK(result.der() == 1.0);
    CHECK(result.jer() == 1.0);
  }

  TEST_CASE("without reference speech any error is a rate of one") {
    const Score wrong = score({"talk", {}}, two_speakers());
    CHECK(wrong.false_alarm == 22.0);
    CHECK(wrong.der() == 1.0);
    CHECK(wrong.jer() == 1.0);
    const Score right = score({"talk", {}}, {"talk", {}});
    CHECK(right.der() == 0.0);
    CHECK(right.jer() == 0.0);
  }

  TEST_CASE("turns of no length are nobody") {
    const Score result = score({"talk", {{0, 2, "ann"}, {1, 0, "bob"}}},
                               {"talk", {{0, 2, "x"}, {5, 1e-7, "y"}}});
    CHECK(result.num_speakers == 1);
    CHECK(result.der() == 0.0);
  }

  TEST_CASE("of two equally good mappings the first label wins") {
    // x and y share 5 s each with ann, and y also speaks alone.
    const Annotation reference = {"talk", {{0, 10, "ann"}}};
    const Score result =
        score(reference, {"talk", {{0, 5, "x"}, {5, 5, "y"}, {12, 3, "y"}}});
    CHECK(result.confusion == 5.0);
    CHECK(result.speaker_error == 0.5);
  }

  TEST_CASE("pooling adds seconds and speakers before dividing") {
    Score pooled = score({"a", {{0, 1, "ann"}}}, {"a", {}});
    pooled += score({"b", {{0, 9, "ann"}}}, {"b", {{0, 9, "x"}}});
    CHECK(pooled.der() == near(0.1));
    CHECK(pooled.jer() == 0.5);
    CHECK(pooled.num_speakers == 2);
  }

  TEST_CASE("the sample scores as it did with pyannote.metrics") {
    const auto reference =
        diarize::test::shared_data("data/conversations/pyannote_sample.rttm");
    const auto hypothesis = diarize::test::shared_data(
        "data/stages/findit_02_pyannote_sample/reference.rttm");
    if (!reference || !hypothesis) return;
    const Annotation expected = read_first(*reference);
    const Annotation found = read_first(*hypothesis);
    const auto der = [&](double collar, bool skip_overlap) {
      return score(expected, found, {collar, skip_overlap}).der();
    };
    // Percentages that were noted with four decimals.
    CHECK(std::abs(der(0.0, false) - 0.052033) < 5e-7);
    CHECK(std::abs(der(0.125, false) - 0.013169) < 5e-7);
    CHECK(der(0.25, false) == 0.0);
    CHECK(std::abs(der(0.0, true) - 0.045114) < 5e-7);
    CHECK(std::abs(der(0.125, true) - 0.013063) < 5e-7);
  }

  TEST_CASE("a day of many turns adds up") {
    // Twenty thousand turns of ten speakers against themselves, each cut
    // short by a tenth.
    Annotation reference{"day", {}};
    Annotation hypothesis{"day", {}};
    std::mt19937 random(3);
    for (int turn = 0; turn < 20000; ++turn) {
      const std::string label(1, static_cast<char>('a' + random() % 10));
      reference.turns.push_back({4.0 * turn, 4.0, label});
      hypothesis.turns.push_back({4.0 * turn, 3.6, label});
    }
    const Score result = score(reference, hypothesis);
    CHECK(result.total == 80000.0);
    CHECK(result.der() == doctest::Approx(0.1).epsilon(1e-9));
    CHECK(result.jer() == doctest::Approx(0.1).epsilon(1e-9));
  }
}
