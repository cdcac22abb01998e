#include "core/powerset.h"

#include "io/npz.h"
#include "tests/core/default_golden.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace diarize {
namespace {

TEST_SUITE("powerset") {
  TEST_CASE("three speakers with at most two at once make seven classes") {
    const auto mapping = powerset_mapping(3, 2);
    REQUIRE(mapping.size() == 7);
    CHECK(mapping[0] == std::vector<std::uint8_t>{0, 0, 0});
    CHECK(mapping[2] == std::vector<std::uint8_t>{0, 1, 0});
    CHECK(mapping[4] == std::vector<std::uint8_t>{1, 1, 0});
    CHECK(mapping[6] == std::vector<std::uint8_t>{0, 1, 1});
  }

  TEST_CASE("the first of equally likely classes wins") {
    SegmentationScores scores({1, kNumFrames, kNumClasses}, -9.0F);
    scores(0, 7, 3) = -1.0F;
    scores(0, 7, 5) = -1.0F;
    const std::vector<std::int64_t> starts = {0};
    const LocalActivity activity = decode_powerset(scores, starts);
    CHECK(activity.active[0][0].none());
    CHECK(activity.active[0][2].count() == 1);
    CHECK(activity.active[0][2][7]);
  }

  TEST_CASE("scores that do not fit the chunks are refused") {
    const std::vector<std::int64_t> starts = {0, 16000};
    const SegmentationScores one_chunk({1, kNumFrames, kNumClasses});
    CHECK_THROWS_AS((void)decode_powerset(one_chunk, starts), std::logic_error);
    const SegmentationScores one_class({2, kNumFrames, 1});
    CHECK_THROWS_AS((void)decode_powerset(one_class, starts), std::logic_error);
  }

  TEST_CASE("activity equals the reference") {
    for (const char* name : {"pyannote_sample", "ami_EN2002a", "falcon_test"}) {
      const auto golden = test::load_golden(name);
      if (!golden) continue;
      const LocalActivity& expected = golden->recording.activity;
      const NpzFile file(golden->folder + "/segmentation.npz");
      const LocalActivity activity =
          decode_powerset(file.array<float, 3>("logp"), expected.chunk_starts);
      CHECK_MESSAGE(activity.active == expected.active, name);
    }
  }
}

}  // namespace
}  // namespace diarize
