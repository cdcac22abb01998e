#include "core/default_recipe.h"

#include "io/npz.h"
#include "tests/core/default_golden.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace diarize {
namespace {

// What adding in another order changes.
constexpr double kSumOrder = 1e-9;

const DefaultRecipe kRecipe{DefaultRecipeOptions{}};

// Recordings, the file with what they should give, and the request.
struct Case {
  const char* name;
  const char* file;
  SpeakerRequest request;
};

SpeakerRequest exactly(int num) {
  SpeakerRequest request;
  request.num = num;
  return request;
}

SpeakerRequest at_most(int max) {
  SpeakerRequest request;
  request.max = max;
  return request;
}

std::vector<Case> golden_cases() {
  std::vector<Case> cases;
  for (const char* name : {"pyannote_sample", "ami_EN2002a", "falcon_test"}) {
    cases.push_back({name, "/clustering.npz", {}});
  }
  for (const char* name : {"meeting_m2b", "meeting_m8"}) {
    cases.push_back({name, "/auto.npz", {}});
    cases.push_back({name, "/num_speakers_4.npz", exactly(4)});
    cases.push_back({name, "/max_speakers_1.npz", at_most(1)});
  }
  return cases;
}

void check_turns(const Turns& turns, const test::GoldenTurns& expected) {
  REQUIRE(turns.size() == expected.onsets.size());
  for (std::size_t i = 0; i < turns.size(); ++i) {
    CHECK(std::abs(turns[i].onset - expected.onsets[i]) < kSumOrder);
    CHECK(std::abs(turns[i].onset + turns[i].duration - expected.ends[i]) <
          kSumOrder);
    CHECK(turns[i].speaker == expected.labels[i]);
  }
}

// Speech of one local speaker in frames [begin, end) of one chunk.
Recording short_recording(int begin, int end) {
  Recording recording;
  recording.num_samples = kChunkSamples;
  recording.activity.chunk_starts = {0};
  auto& speakers = recording.activity.active.emplace_back();
  for (int frame = begin; frame < end; ++frame) speakers[1].set(frame);
  recording.embeddings.values = Array<float, 2>({std::size_t{0}, 192});
  return recording;
}

// Seconds covered by at least one turn.
double covered(const Turns& turns) {
  double total = 0.0;
  double end = 0.0;
  for (const Turn& turn : turns) {
    const double turn_end = turn.onset + turn.duration;
    total += std::max(0.0, turn_end - std::max(turn.onset, end));
    end = std::max(end, turn_end);
  }
  return total;
}

TEST_SUITE("default_recipe") {
  TEST_CASE("clustering of golden pieces equals the reference") {
    for (const Case& c : golden_cases()) {
      const auto golden = test::load_golden(c.name);
      if (!golden) continue;
      INFO(c.name << c.file);
      const NpzFile file(golden->folder + c.file);
      const DefaultClustering result =
          kRecipe.cluster(golden->recording, c.request);
      const auto centroids = file.array<double, 2>("centroids");
      REQUIRE(result.centroids.shape() == centroids.shape());
      CHECK(std::ranges::equal(
          result.centroids.values(), centroids.values(),
          [](double a, double b) { return std::abs(a - b) < kSumOrder; }));
      CHECK(result.assignment == file.array<std::int32_t, 2>("hard"));
      CHECK(result.piece_labels == file.values<std::int32_t>("piece_label"));
    }
  }

  TEST_CASE("turns of golden pieces equal the reference") {
    for (const Case& c : golden_cases()) {
      const auto golden = test::load_golden(c.name);
      if (!golden) continue;
      INFO(c.name << c.file);
      const Diarization result = kRecipe.finish(golden->recording, c.request);
      const auto expected = test::load_turns(golden->folder + c.file);
      check_turns(result.turns, expected);
      const std::set<std::int32_t> labels(expected.labels.begin(),
                                          expected.labels.end());
      CHECK(result.num_speakers == static_cast<int>(labels.size()));
      CHECK(result.centroids.size(0) == labels.size());
    }
  }

  TEST_CASE("the number found given back as a request changes nothing") {
    for (const char* name : {"pyannote_sample", "ami_EN2002a", "falcon_test",
                             "meeting_m2b", "meeting_m8"}) {
      const auto golden = test::load_golden(name);
      if (!golden) continue;
      const Diarization found = kRecipe.finish(golden->recording, {});
      const Diarization asked =
          kRecipe.finish(golden->recording, exactly(found.num_speakers));
      CHECK(asked.turns == found.turns);
      CHECK(asked.exclusive_turns == found.exclusive_turns);
    }
  }

  TEST_CASE("exclusive turns cover the same time without overlap") {
    for (const char* name : {"pyannote_sample", "ami_EN2002a", "meeting_m8"}) {
      const auto golden = test::load_golden(name);
      if (!golden) continue;
      for (const double min_duration_off : {0.0, 0.5}) {
        const DefaultRecipe recipe({.min_duration_off = min_duration_off});
        const Diarization result = recipe.finish(golden->recording, {});
        const Turns& turns = result.exclusive_turns;
        double total = 0.0;
        for (const Turn& turn : turns) total += turn.duration;
        CHECK(total == doctest::Approx(covered(turns)).epsilon(kSumOrder));
        if (min_duration_off > 0.0) continue;
        CHECK(total ==
              doctest::Approx(covered(result.turns)).epsilon(kSumOrder));
      }
    }
  }

  TEST_CASE("exclusive turns lie within turns of the same label") {
    const auto golden = test::load_golden("meeting_m2b");
    REQUIRE(golden.has_value());
    const DefaultRecipe recipe(
        {.min_duration_on = 0.3, .min_duration_off = 0.5});
    const Diarization result = recipe.finish(golden->recording, {});
    REQUIRE(!result.exclusive_turns.empty());
    for (const Turn& turn : result.exclusive_turns) {
      CHECK(std::ranges::any_of(result.turns, [&](const Turn& other) {
        return other.speaker == turn.speaker &&
               other.onset <= turn.onset + kSumOrder &&
               other.onset + other.duration + kSumOrder >=
                   turn.onset + turn.duration;
      }));
    }
  }

  TEST_CASE("short turns and gaps go by the options") {
    const auto golden = test::load_golden("meeting_m2b");
    REQUIRE(golden.has_value());
    const DefaultRecipe recipe(
        {.min_duration_on = 0.3, .min_duration_off = 0.5});
    const Turns turns = recipe.finish(golden->recording, {}).turns;
    CHECK(turns.size() < kRecipe.finish(golden->recording, {}).turns.size());
    for (const Turn& turn : turns) {
      const bool at_end = turn.onset + turn.duration >
                          golden->recording.num_samples / 16000.0 - 0.3;
      CHECK((at_end || turn.duration >= 0.3));
    }
  }

  TEST_CASE("more speakers than there is speech for are not invented") {
    const auto golden = test::load_golden("pyannote_sample");
    REQUIRE(golden.has_value());
    const DefaultClustering result =
        kRecipe.cluster(golden->recording, exactly(100));
    CHECK(result.num_clusters > 2);
    CHECK(result.num_clusters <= golden->jobs.size());
  }

  TEST_CASE("silence has no turns and no speakers") {
    const Diarization result = kRecipe.finish(short_recording(0, 0), {});
    CHECK(result.turns.empty());
    CHECK(result.num_speakers == 0);
    CHECK(result.seconds == 10.0);
  }

  TEST_CASE("speech too short to embed is one speaker") {
    Recording recording = short_recording(100, 105);
    recording.activity.active[0][2].set(300, true);
    recording.activity.active[0][1].set(300, true);
    const Diarization result = kRecipe.finish(recording, {});
    REQUIRE(result.turns.size() == 2);
    CHECK(result.turns[0].duration == doctest::Approx(5 * kFrameStep));
    CHECK(result.num_speakers == 1);
    CHECK(result.centroids.shape() == std::array<std::size_t, 2>{1, 192});
    CHECK(result.exclusive_turns == result.turns);
  }

  TEST_CASE("an empty recording is no error") {
    CHECK(kRecipe.finish(Recording{}, {}).turns.empty());
  }

  TEST_CASE("one piece is one speaker") {
    Recording recording = short_recording(0, 80);
    recording.embeddings.sources = {{0, 1, 0, 50}};
    recording.embeddings.values = Array<float, 2>({1, 192}, 0.5F);
    const Diarization result = kRecipe.finish(recording, {});
    REQUIRE(result.turns.size() == 1);
    CHECK(result.centroids(0, 0) == doctest::Approx(1.0 / std::sqrt(192.0)));
  }

  TEST_CASE("pieces of chunks that do not exist are refused") {
    Recording recording = short_recording(0, 80);
    recording.embeddings.sources = {{1, 1, 0, 50}};
    recording.embeddings.values = Array<float, 2>({1, 192}, 0.5F);
    CHECK_THROWS_AS((void)kRecipe.finish(recording, {}), std::logic_error);
  }

  TEST_CASE("chunks lie a step apart and the last at the end") {
    const ChunkLayout layout = DefaultRecipe({.step = 0.29}).chunk_layout();
    CHECK(layout.hop_samples == 4640);
    CHECK(layout.last_chunk == LastChunk::kAligned);
  }

  TEST_CASE("jobs are the pieces of the block") {
    const auto golden = test::load_golden("pyannote_sample");
    REQUIRE(golden.has_value());
    const auto jobs = kRecipe.jobs(golden->block, golden->recording.activity);
    REQUIRE(jobs.size() == golden->jobs.size());
    CHECK(jobs.back().rows == golden->jobs.back().rows);
  }
}

}  // namespace
}  // namespace diarize
