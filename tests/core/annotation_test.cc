#include "core/annotation.h"

#include <doctest/doctest.h>

TEST_SUITE("annotation") {
  TEST_CASE("speaker labels have at least two digits") {
    CHECK(diarize::speaker_label(0) == "SPEAKER_00");
    CHECK(diarize::speaker_label(7) == "SPEAKER_07");
    CHECK(diarize::speaker_label(42) == "SPEAKER_42");
    CHECK(diarize::speaker_label(123) == "SPEAKER_123");
    CHECK(diarize::speaker_label(3, "CH2_SPEAKER_") == "CH2_SPEAKER_03");
  }

  TEST_CASE("a turn ends its duration after its onset") {
    CHECK(diarize::LabelledTurn{1.5, 0.25, "a"}.end() == 1.75);
  }
}
