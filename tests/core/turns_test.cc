#include "core/turns.h"

#include <doctest/doctest.h>

namespace diarize {
namespace {

constexpr double kTime = 1e-9;  // s, rounding of times

void check_turn(const Turn& turn, double onset, double end, int speaker) {
  CHECK(turn.onset == doctest::Approx(onset).epsilon(kTime));
  CHECK(turn.onset + turn.duration == doctest::Approx(end).epsilon(kTime));
  CHECK(turn.speaker == speaker);
}

TEST_SUITE("turns") {
  TEST_CASE("a turn ends at the middle of the first silent frame") {
    const SpeakerActivity activity{100, {{0, 2, 10}}};
    const Turns turns = make_turns(activity, {});
    REQUIRE(turns.size() == 1);
    check_turn(turns[0], frame_centre(2), frame_centre(10), 0);
  }

  TEST_CASE("a turn up to the last frame ends at its middle") {
    const SpeakerActivity activity{100, {{0, 90, 100}}};
    check_turn(make_turns(activity, {}).at(0), frame_centre(90),
               frame_centre(99), 0);
  }

  TEST_CASE("a run of the last frame alone makes no turn") {
    const SpeakerActivity activity{100, {{0, 99, 100}}};
    CHECK(make_turns(activity, {}).empty());
  }

  TEST_CASE("turns are sorted by onset then end then speaker") {
    const SpeakerActivity activity{
        100, {{0, 5, 20}, {1, 5, 10}, {1, 50, 60}, {2, 5, 20}, {3, 1, 2}}};
    const Turns turns = make_turns(activity, {});
    REQUIRE(turns.size() == 5);
    CHECK(turns[0].speaker == 3);
    CHECK(turns[1].speaker == 1);
    CHECK(turns[2].speaker == 0);
    CHECK(turns[3].speaker == 2);
    CHECK(turns[4].onset == frame_centre(50));
  }

  TEST_CASE("turns are clipped to the end of the recording") {
    const SpeakerActivity activity{100, {{0, 10, 20}, {1, 40, 50}}};
    TurnRules options;
    options.end = frame_centre(15);
    const Turns turns = make_turns(activity, options);
    REQUIRE(turns.size() == 1);
    check_turn(turns[0], frame_centre(10), options.end, 0);
  }

  TEST_CASE("what the clip leaves of a turn is dropped below half a ms") {
    const SpeakerActivity activity{100, {{0, 10, 20}}};
    TurnRules options;
    options.end = frame_centre(10) + 4e-4;
    CHECK(make_turns(activity, options).empty());
    options.end = frame_centre(10) + 6e-4;
    CHECK(make_turns(activity, options).size() == 1);
  }

  TEST_CASE("short gaps are filled within a speaker only") {
    const SpeakerActivity activity{
        100, {{0, 10, 20}, {0, 22, 30}, {0, 34, 40}, {1, 42, 50}}};
    TurnRules options;
    options.min_duration_off = 3 * kFrameStep;
    const Turns turns = make_turns(activity, options);
    REQUIRE(turns.size() == 3);
    check_turn(turns[0], frame_centre(10), frame_centre(30), 0);
    check_turn(turns[1], frame_centre(34), frame_centre(40), 0);
    check_turn(turns[2], frame_centre(42), frame_centre(50), 1);
  }

  TEST_CASE("short turns are dropped after gaps are filled") {
    const SpeakerActivity activity{100,
                                   {{0, 10, 14}, {0, 15, 19}, {0, 40, 44}}};
    TurnRules options;
    options.min_duration_off = 2 * kFrameStep;
    options.min_duration_on = 6 * kFrameStep;
    const Turns turns = make_turns(activity, options);
    REQUIRE(turns.size() == 1);
    check_turn(turns[0], frame_centre(10), frame_centre(19), 0);
  }

  TEST_CASE("a turn is as long as it was before the clip to be kept") {
    const SpeakerActivity activity{100, {{0, 10, 20}}};
    TurnRules options;
    options.min_duration_on = 8 * kFrameStep;
    options.end = frame_centre(12);
    CHECK(make_turns(activity, options).size() == 1);
  }

  TEST_CASE("gaps in which somebody else speaks can be left open") {
    const SpeakerActivity activity{
        100, {{0, 10, 20}, {0, 30, 40}, {0, 45, 50}, {1, 20, 25}}};
    TurnRules options;
    options.min_duration_off = 1.0;
    options.fill_silence_only = true;
    const Turns turns = make_turns(activity, options);
    REQUIRE(turns.size() == 3);
    check_turn(turns[1], frame_centre(20), frame_centre(25), 1);
    check_turn(turns[2], frame_centre(30), frame_centre(50), 0);
    options.fill_silence_only = false;
    CHECK(make_turns(activity, options).size() == 2);
  }

  TEST_CASE("labels follow the order of first turns") {
    const Turns turns = {{0.0, 1.0, 4}, {0.5, 1.0, 1}, {2.0, 1.0, 4}};
    const auto labels = labels_by_appearance(turns, 5);
    CHECK(labels == std::vector<std::int32_t>{-1, 1, -1, -1, 0});
    CHECK(relabel(turns, labels) ==
          Turns{{0.0, 1.0, 0}, {0.5, 1.0, 1}, {2.0, 1.0, 0}});
  }

  TEST_CASE("turns that start and end together are sorted by label") {
    const std::vector<std::int32_t> labels = {1, 0};
    CHECK(relabel({{0.0, 1.0, 0}, {0.0, 1.0, 1}}, labels) ==
          Turns{{0.0, 1.0, 0}, {0.0, 1.0, 1}});
  }

  TEST_CASE("pyannote takes the middle of a frame in its own way") {
    const SpeakerActivity activity{1000, {{0, 123, 456}}};
    TurnRules options;
    options.frame_time = frame_middle;
    const Turns turns = make_turns(activity, options);
    CHECK(turns[0].onset == frame_middle(123));
    CHECK(turns[0].duration == frame_middle(456) - frame_middle(123));
  }
}

}  // namespace
}  // namespace diarize
