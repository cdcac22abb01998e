#include "core/masks.h"

#include <doctest/doctest.h>

#include <stdexcept>

namespace diarize::test {
namespace {

// Speaker 0 in frames 0..9, speaker 1 from `onset` to 19.
LocalActivity two_speakers(int onset) {
  LocalActivity activity;
  activity.chunk_starts = {0};
  activity.active.resize(1);
  for (int frame = 0; frame < 10; ++frame) {
    activity.active[0][0][frame] = true;
  }
  for (int frame = onset; frame < 20; ++frame) {
    activity.active[0][1][frame] = true;
  }
  return activity;
}

}  // namespace

TEST_SUITE("masks") {
  TEST_CASE("frames with overlap are left out") {
    const FrameSet mask = embedding_mask(two_speakers(8), 0, 0, true);
    CHECK(mask.count() == 8);
    CHECK(mask[7]);
    CHECK_FALSE(mask[8]);
  }

  TEST_CASE("three frames alone are enough and two are not") {
    CHECK(embedding_mask(two_speakers(3), 0, 0, true).count() == 3);
    CHECK(embedding_mask(two_speakers(2), 0, 0, true).count() == 10);
  }

  TEST_CASE("all frames are taken if overlap is not to be excluded") {
    CHECK(embedding_mask(two_speakers(8), 0, 0, false).count() == 10);
  }

  TEST_CASE(
      "a block has a job for each active local speaker of the recording") {
    Block block;
    block.chunk_starts = {80000, 96000, 112000};
    block.first_chunk = 5;
    LocalActivity activity;
    activity.chunk_starts = block.chunk_starts;
    activity.active.resize(3);
    activity.active[0][2][100] = true;
    activity.active[2] = two_speakers(8).active[0];
    const std::vector<EmbeddingJob> jobs = masked_jobs(block, activity, true);
    REQUIRE(jobs.size() == 3);
    CHECK(jobs[0].source == EmbeddingSource{5, 2, -1, 0});
    CHECK(jobs[0].mask.count() == 1);
    CHECK(jobs[1].source == EmbeddingSource{7, 0, -1, 0});
    CHECK(jobs[1].mask.count() == 8);
    CHECK(jobs[2].source == EmbeddingSource{7, 1, -1, 0});
    CHECK(jobs[2].mask.count() == 10);
  }

  TEST_CASE("activity of another block is refused") {
    CHECK_THROWS_AS(static_cast<void>(masked_jobs({}, two_speakers(8), true)),
                    std::logic_error);
  }
}

}  // namespace diarize::test
