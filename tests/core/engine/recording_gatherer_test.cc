#include "core/engine/recording_gatherer.h"

#include <doctest/doctest.h>

#include <stdexcept>

namespace {

diarize::BlockResult result_of(std::int64_t start, float value) {
  diarize::BlockResult result;
  result.activity.chunk_starts = {start};
  result.activity.active.resize(1);
  result.activity.active[0][1].set(static_cast<std::size_t>(start));
  result.sources = {{.chunk = static_cast<std::int32_t>(start)}};
  result.embeddings = diarize::Array<float, 2>({1, 2}, value);
  return result;
}

}  // namespace

TEST_SUITE("recording_gatherer") {
  TEST_CASE("blocks that come out of order are put in order") {
    diarize::RecordingGatherer gatherer;
    for (const std::int64_t block : {2, 0, 3, 1}) {
      gatherer.add(block, result_of(block, static_cast<float>(block)));
    }
    const diarize::Recording recording = gatherer.take(77);
    CHECK(recording.num_samples == 77);
    CHECK(recording.activity.chunk_starts ==
          std::vector<std::int64_t>{0, 1, 2, 3});
    REQUIRE(recording.embeddings.values.shape() ==
            std::array<std::size_t, 2>{4, 2});
    for (std::size_t i = 0; i < 4; ++i) {
      CHECK(recording.embeddings.values(i, 1) == static_cast<float>(i));
      CHECK(recording.embeddings.sources[i].chunk == static_cast<int>(i));
      CHECK(recording.activity.active[i][1].test(i));
    }
  }

  TEST_CASE("a missing block is an error") {
    diarize::RecordingGatherer gatherer;
    gatherer.add(1, result_of(1, 1.0F));
    CHECK_THROWS_AS((void)gatherer.take(1), std::logic_error);
  }

  TEST_CASE("a recording without blocks is empty") {
    diarize::RecordingGatherer gatherer;
    const diarize::Recording recording = gatherer.take(0);
    CHECK(recording.activity.num_chunks() == 0);
    CHECK(recording.embeddings.sources.empty());
  }
}
