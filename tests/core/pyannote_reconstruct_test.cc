#include "core/pyannote_reconstruct.h"

#include "core/speaker_count.h"
#include "core/votes.h"
#include "tests/core/pyannote_goldens.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

namespace diarize::test {
namespace {

// One chunk with its speakers in the frames [first, end) of each pair.
LocalActivity one_chunk(const std::vector<std::pair<int, int>>& spans) {
  LocalActivity activity;
  activity.chunk_starts = {0};
  activity.active.resize(1);
  for (std::size_t speaker = 0; speaker < spans.size(); ++speaker) {
    for (int t = spans[speaker].first; t < spans[speaker].second; ++t) {
      activity.active[0][speaker][t] = true;
    }
  }
  return activity;
}

Clusters clusters_of(std::vector<std::int32_t> assignment,
                     std::size_t num_clusters) {
  Array<double, 2> centroids({num_clusters, 1});
  for (std::size_t k = 0; k < num_clusters; ++k) {
    centroids(k, 0) = 10.0 + static_cast<double>(k);
  }
  return {Array<std::int32_t, 2>({assignment.size() / 3, 3}, assignment),
          centroids};
}

Turn turn(int first_frame, int end_frame, int speaker) {
  const double onset = frame_middle(first_frame);
  return {onset, frame_middle(end_frame) - onset, speaker};
}

}  // namespace

TEST_SUITE("pyannote_reconstruct") {
  TEST_CASE("labels are sorted as decimal strings") {
    Turns turns;
    for (const int cluster : {2, 11, 0, 10, 2, 1}) {
      turns.push_back({0.0, 1.0, cluster});
    }
    const auto labels = labels_by_decimal(turns, 13);
    CHECK(labels == std::vector<std::int32_t>{0, 1, 4, -1, -1, -1, -1, -1, -1,
                                              -1, 2, 3, -1});
  }

  TEST_CASE("equal turns are sorted by the names of their tracks") {
    // Columns 2, 26 and 30 are tracks C, AA and AE.
    const Turns sorted = in_track_order(
        {{1.0, 1.0, 2}, {1.0, 1.0, 30}, {1.0, 1.0, 26}, {0.5, 9.0, 7}}, false);
    CHECK(sorted[0].speaker == 7);
    CHECK(sorted[1].speaker == 26);
    CHECK(sorted[2].speaker == 30);
    CHECK(sorted[3].speaker == 2);
  }

  TEST_CASE("after gaps are filled tracks are counted by label") {
    // As strings 10 comes before 2, so cluster 10 gets the first name.
    const Turns sorted = in_track_order({{1.0, 1.0, 2}, {1.0, 1.0, 10}}, true);
    CHECK(sorted[0].speaker == 10);
    CHECK(sorted[1].speaker == 2);
  }

  TEST_CASE("a turn ends in the frame after its last") {
    const LocalActivity activity = one_chunk({{100, 200}});
    const Diarization result =
        reconstruct_pyannote(activity, count_speakers(activity),
                             clusters_of({0, -2, -2}, 1), {}, 0.0);
    CHECK(result.turns == Turns{turn(100, 200, 0)});
    CHECK(result.exclusive_turns == result.turns);
    CHECK(result.num_speakers == 1);
  }

  TEST_CASE("local speakers of one cluster are one") {
    const LocalActivity activity = one_chunk({{100, 200}, {150, 300}});
    SpeakerCount count = count_speakers(activity);
    for (std::uint8_t& value : count.count) value = std::min<int>(value, 1);
    const Diarization result = reconstruct_pyannote(
        activity, count, clusters_of({0, 0, -2}, 1), {}, 0.0);
    CHECK(result.turns == Turns{turn(100, 300, 0)});
  }

  TEST_CASE("a cluster is made up where more speak than there are") {
    const LocalActivity activity = one_chunk({{100, 200}, {150, 300}});
    const Diarization result =
        reconstruct_pyannote(activity, count_speakers(activity),
                             clusters_of({0, -2, -2}, 1), {}, 0.0);
    // Without votes the lowest cluster is active.
    CHECK(result.turns == Turns{turn(100, 300, 0), turn(150, 200, 1)});
    CHECK(result.num_speakers == 2);
    CHECK(result.centroids(0, 0) == 10.0);
    CHECK(result.centroids(1, 0) == 0.0);
  }

  TEST_CASE("no more speak at once than are asked for") {
    const LocalActivity activity = one_chunk({{100, 200}, {150, 300}});
    const Diarization result = reconstruct_pyannote(
        activity, count_speakers(activity), clusters_of({1, 0, -2}, 2),
        bounds_of({{}, {}, 1}), 0.0);
    // Both have a vote from 150 on; the lower cluster wins.
    CHECK(result.turns == Turns{turn(100, 150, 1), turn(150, 300, 0)});
  }

  TEST_CASE("exclusive turns keep the labels and never overlap") {
    const LocalActivity activity = one_chunk({{100, 200}, {150, 300}});
    const Diarization result =
        reconstruct_pyannote(activity, count_speakers(activity),
                             clusters_of({0, 1, -2}, 2), {}, 0.0);
    CHECK(result.turns == Turns{turn(100, 200, 0), turn(150, 300, 1)});
    CHECK(result.exclusive_turns ==
          Turns{turn(100, 200, 0), turn(200, 300, 1)});
  }

  TEST_CASE("a cluster without a turn has no label") {
    const LocalActivity activity = one_chunk({{100, 200}});
    const Diarization result =
        reconstruct_pyannote(activity, count_speakers(activity),
                             clusters_of({2, -2, -2}, 3), {}, 0.0);
    CHECK(result.num_speakers == 1);
    CHECK(result.centroids(0, 0) == 12.0);
    CHECK(result.turns[0].speaker == 0);
  }

  TEST_CASE("gaps shorter than the least are filled") {
    LocalActivity activity = one_chunk({{100, 200}});
    for (int t = 220; t < 250; ++t) activity.active[0][0][t] = true;
    const auto turns = [&](double min_duration_off) {
      return reconstruct_pyannote(activity, count_speakers(activity),
                                  clusters_of({0, -2, -2}, 1), {},
                                  min_duration_off)
          .turns;
    };
    const double gap = frame_middle(220) - frame_middle(200);
    CHECK(turns(0.0).size() == 2);
    CHECK(turns(gap).size() == 2);
    CHECK(turns(gap + 1e-9) == Turns{turn(100, 250, 0)});
  }

  TEST_CASE("silence gives nothing") {
    const LocalActivity activity = one_chunk({});
    const Diarization result =
        reconstruct_pyannote(activity, count_speakers(activity),
                             clusters_of({-2, -2, -2}, 0), {}, 0.0);
    CHECK(result.turns.empty());
    CHECK(result.num_speakers == 0);
  }

  TEST_CASE("frames of real recordings are the reference's") {
    const auto check = [](const Capture& capture,
                          const Array<std::int32_t, 2>& clusters,
                          const Array<double, 2>& expected) {
      CAPTURE(capture.name);
      const SpeakerCount count = count_speakers(capture.activity);
      CHECK(capture.is_count(count));
      Array<std::int32_t, 2> assignment = clusters;
      for (std::size_t chunk = 0; chunk < assignment.size(0); ++chunk) {
        for (int speaker = 0; speaker < kNumLocalSpeakers; ++speaker) {
          if (capture.activity.active[chunk][speaker].none()) {
            assignment(chunk, speaker) = kInactive;
          }
        }
      }
      const Reconstruction found = reconstruct(
          {capture.activity, count, assignment, expected.size(1), {}, {}});
      CHECK(frames_of(found.regular, expected.size(1)) == expected);
    };
    for (const Capture& capture : findit_captures()) {
      check(capture,
            NpzFile(capture.folder / "clustering.npz")
                .array<std::int32_t, 2>("hard_clusters"),
            NpzFile(capture.folder / "reconstruction.npz")
                .array<double, 2>("discrete_diarization"));
    }
    for (const Capture& capture : synthetic_captures()) {
      for (const std::string layout : {"community1", "v31"}) {
        const NpzFile golden(capture.folder / "../.." / layout / capture.name /
                             "result.npz");
        check(capture, golden.array<std::int32_t, 2>("hard_clusters"),
              golden.array<double, 2>("discrete_diarization"));
      }
    }
  }
}

}  // namespace diarize::test
