#include "core/votes.h"

#include "core/speaker_count.h"
#include "io/npz.h"
#include "tests/core/default_golden.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace diarize {
namespace {

constexpr double kVoteRounding = 1e-9;

// Two chunks a second apart; local speakers 0 and 1 are active throughout.
LocalActivity two_chunks() {
  LocalActivity activity;
  activity.chunk_starts = {0, kSampleRate};
  activity.active.resize(2);
  for (auto& speakers : activity.active) {
    speakers[0].set();
    speakers[1].set();
  }
  return activity;
}

TEST_SUITE("votes") {
  TEST_CASE("votes equal the reference") {
    for (const char* name : {"pyannote_sample", "ami_EN2002a", "falcon_test"}) {
      const auto golden = test::load_golden(name);
      if (!golden) continue;
      const NpzFile file(golden->folder + "/clustering.npz");
      const LocalActivity& activity = golden->recording.activity;
      const SpeakerCount count = count_speakers(activity);
      const auto assignment = file.array<std::int32_t, 2>("hard");
      const auto labels = file.values<std::int32_t>("piece_label");
      const auto& sources = golden->recording.embeddings.sources;
      std::vector<EmbeddingSource> pieces;
      std::vector<std::int32_t> clusters;
      for (std::size_t piece = 0; piece < sources.size(); ++piece) {
        if (sources[piece].num_rows < 50) continue;
        pieces.push_back(sources[piece]);
        clusters.push_back(labels[piece]);
      }
      const auto expected = file.array<double, 2>("votes");
      const Ballot ballot{activity,         count,  assignment,
                          expected.size(1), pieces, clusters};
      const auto num_frames = static_cast<std::int64_t>(count.count.size());
      const Array<double, 2> votes = count_votes(ballot, 0, num_frames);
      REQUIRE(votes.shape() == expected.shape());
      CHECK(std::ranges::equal(
          votes.values(), expected.values(),
          [](double a, double b) { return std::abs(a - b) < kVoteRounding; }));
      const Array<double, 2> part = count_votes(ballot, 500, 700);
      CHECK(std::ranges::equal(
          part.values(),
          votes.values().subspan(500 * votes.size(1), 200 * votes.size(1))));
    }
  }

  TEST_CASE("local speakers that share a cluster vote once") {
    const LocalActivity activity = two_chunks();
    const SpeakerCount count = count_speakers(activity);
    const Array<std::int32_t, 2> assignment({2, 3}, {1, 1, -2, 1, 0, -2});
    const Ballot ballot{activity, count, assignment, 2, {}, {}};
    const Array<double, 2> votes = count_votes(ballot, 0, 648);
    CHECK(votes(0, 1) == 1.0);
    CHECK(votes(0, 0) == 0.0);
    CHECK(votes(100, 1) == 2.0);
    CHECK(votes(100, 0) == 1.0);
    CHECK(votes(647, 1) == 1.0);
  }

  TEST_CASE("a piece outvotes the chunks over its frames") {
    LocalActivity activity = two_chunks();
    for (auto& speakers : activity.active) speakers[1].reset();
    const SpeakerCount count = count_speakers(activity);
    const Array<std::int32_t, 2> assignment({2, 3}, {0, -2, -2, 0, -2, -2});
    const std::vector<EmbeddingSource> pieces = {{0, 0, 2, 150}};
    const std::vector<std::int32_t> clusters = {1};
    const Ballot ballot{activity, count, assignment, 2, pieces, clusters};
    const Reconstruction result = reconstruct(ballot);
    // Cell 2 lasts from 3 s to 4.5 s.
    CHECK(result.regular.runs ==
          std::vector<ActiveRun>{{0, 0, 176}, {0, 265, 648}, {1, 176, 265}});
    CHECK(result.exclusive.runs == result.regular.runs);
  }

  TEST_CASE("frames that many chunks later cover do not change the runs") {
    // Several tiles of frames, one speaker throughout.
    LocalActivity activity;
    for (int chunk = 0; chunk < 300; ++chunk) {
      activity.chunk_starts.push_back(chunk * 40000L);
      activity.active.emplace_back()[2].set();
    }
    const SpeakerCount count = count_speakers(activity);
    Array<std::int32_t, 2> assignment({300, 3}, kInactive);
    for (std::size_t chunk = 0; chunk < 300; ++chunk) assignment(chunk, 2) = 0;
    const Reconstruction result =
        reconstruct({activity, count, assignment, 1, {}, {}});
    const std::int64_t end = first_output_frame(299 * 40000L) + kNumFrames;
    CHECK(result.regular.runs == std::vector<ActiveRun>{{0, 0, end}});
  }

  TEST_CASE("voters without a cluster are refused") {
    const LocalActivity activity = two_chunks();
    const SpeakerCount count = count_speakers(activity);
    const Array<std::int32_t, 2> assignment({1, 3});
    const Ballot ballot{activity, count, assignment, 1, {}, {}};
    CHECK_THROWS_AS((void)count_votes(ballot, 0, 10), std::logic_error);
  }
}

}  // namespace
}  // namespace diarize
