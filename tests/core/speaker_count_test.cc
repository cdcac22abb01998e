#include "core/speaker_count.h"

#include "io/npz.h"
#include "tests/core/default_golden.h"

#include <doctest/doctest.h>

namespace diarize {
namespace {

// Chunks that all start at zero, in each of which the first frame has as many
// active speakers as `num_active` says.
LocalActivity first_frames(const std::vector<int>& num_active) {
  LocalActivity activity;
  for (const int num : num_active) {
    activity.chunk_starts.push_back(0);
    auto& speakers = activity.active.emplace_back();
    for (int speaker = 0; speaker < num; ++speaker) speakers[speaker].set(0);
  }
  return activity;
}

TEST_SUITE("speaker_count") {
  TEST_CASE("a mean half way between two counts goes to the even one") {
    CHECK(count_speakers(first_frames({1, 0})).count[0] == 0);
    CHECK(count_speakers(first_frames({1, 2})).count[0] == 2);
    CHECK(count_speakers(first_frames({1, 1, 0})).count[0] == 1);
  }

  TEST_CASE("frames past the last chunk are covered by none and count zero") {
    const SpeakerCount count = count_speakers(first_frames({1}));
    REQUIRE(count.count.size() == 594);
    CHECK(count.covers[588] == 1);
    CHECK(count.covers[589] == 0);
    CHECK(count.count[593] == 0);
  }

  TEST_CASE("no chunks give no frames") {
    CHECK(count_speakers(LocalActivity{}).count.empty());
  }

  TEST_CASE("counts equal the reference") {
    for (const char* name : {"pyannote_sample", "ami_EN2002a", "falcon_test",
                             "meeting_m2b", "meeting_m8"}) {
      const auto golden = test::load_golden(name);
      if (!golden) continue;
      const bool is_meeting = golden->block.chunk_starts.size() > 20;
      const NpzFile file(golden->folder +
                         (is_meeting ? "/auto.npz" : "/clustering.npz"));
      const SpeakerCount count = count_speakers(golden->recording.activity);
      const auto expected = file.values<std::int64_t>("count");
      CHECK_MESSAGE(std::vector<std::int64_t>(count.count.begin(),
                                              count.count.end()) == expected,
                    name);
    }
  }
}

}  // namespace
}  // namespace diarize
