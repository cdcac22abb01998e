#include "core/pyannote_recipe.h"

#include "core/annotation.h"
#include "core/error.h"
#include "io/rttm.h"
#include "tests/core/pyannote_goldens.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace diarize::test {
namespace {

struct Variant {
  std::string prefix;
  SpeakerRequest request;
};

// The requests the goldens hold; all but the first for two recordings.
std::vector<Variant> variants() {
  return {{"", {}},
          {"num2_", {2, {}, {}}},
          {"num3_", {3, {}, {}}},
          {"min3_", {{}, 3, {}}},
          {"max1_", {{}, {}, 1}},
          {"min2max3_", {{}, 2, 3}}};
}

// Calls check(recipe, capture, folder, variant) for every golden result.
template <typename Check>
void for_all_synthetic(Check check) {
  const auto plda = community1_plda();
  if (!plda) return;
  const PyannoteRecipe community1({}, *plda);
  const PyannoteRecipe v31(PyannoteOptions::v3_1());
  int checked = 0;
  for (const Capture& capture : synthetic_captures()) {
    for (const std::string layout : {"community1", "v31"}) {
      const auto folder = capture.folder / "../.." / layout / capture.name;
      for (const Variant& variant : variants()) {
        if (!std::filesystem::exists(folder /
                                     (variant.prefix + "turns.rttm"))) {
          continue;
        }
        CAPTURE(capture.name);
        CAPTURE(layout);
        CAPTURE(variant.prefix);
        check(layout == "v31" ? v31 : community1, capture, folder, variant);
        ++checked;
      }
    }
  }
  // 11 recordings and 5 variants of two of them, in two layouts.
  CHECK(checked == 42);
}

// Turns against those of RTTM lines with six decimals.
void check_close(const Turns& found, const Annotation& expected) {
  constexpr double kWritten = 1e-6;
  REQUIRE(found.size() == expected.turns.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    CHECK(std::abs(found[i].onset - expected.turns[i].onset) < kWritten);
    CHECK(std::abs(found[i].duration - expected.turns[i].duration) < kWritten);
    CHECK(speaker_label(found[i].speaker) == expected.turns[i].label);
  }
}

Diarization run(const PyannoteRecipe& recipe, const Capture& capture,
                const SpeakerRequest& request = {}) {
  return recipe.finish(capture.recording(), request);
}

}  // namespace

TEST_SUITE("pyannote_recipe") {
  TEST_CASE("turns of every synthetic golden have the reference's text") {
    for_all_synthetic([](const PyannoteRecipe& recipe, const Capture& capture,
                         const std::filesystem::path& folder,
                         const Variant& variant) {
      const Diarization result = run(recipe, capture, variant.request);
      CHECK(rttm_text(result.turns, capture.name) ==
            text_of(folder / (variant.prefix + "turns.rttm")));
      CHECK(rttm_text(result.exclusive_turns, capture.name) ==
            text_of(folder / (variant.prefix + "exclusive.rttm")));
    });
  }

  TEST_CASE("clusters of every synthetic golden are the reference's") {
    for_all_synthetic([](const PyannoteRecipe& recipe, const Capture& capture,
                         const std::filesystem::path& folder,
                         const Variant& variant) {
      const Clusters clusters =
          recipe.cluster(capture.recording(), variant.request);
      const auto expected = NpzFile(folder / (variant.prefix + "result.npz"))
                                .array<std::int32_t, 2>("hard_clusters");
      CHECK(clusters.assignment == expected);
    });
  }

  TEST_CASE("centroids of every synthetic golden come in the order of labels") {
    // The goldens hold them in float32.
    constexpr double kRounding = 2e-6;
    for_all_synthetic([=](const PyannoteRecipe& recipe, const Capture& capture,
                          const std::filesystem::path& folder,
                          const Variant& variant) {
      const Diarization result = run(recipe, capture, variant.request);
      const auto expected = NpzFile(folder / (variant.prefix + "result.npz"))
                                .array<double, 2>("speaker_embeddings");
      REQUIRE(result.centroids.shape() == expected.shape());
      CHECK(result.num_speakers == static_cast<int>(expected.size(0)));
      if (capture.name == "ami_EN2001d") {
        // Nothing to take a mean of.
        CHECK(std::isnan(result.centroids(0, 0)));
        CHECK(std::isnan(expected(0, 0)));
        return;
      }
      CHECK(largest_difference(result.centroids.values(), expected.values()) <
            kRounding);
    });
  }

  TEST_CASE(
      "turns of recordings captured elsewhere have the reference's text") {
    const auto plda = community1_plda();
    if (!plda) return;
    const PyannoteRecipe recipe({}, *plda);
    for (const Capture& capture : findit_captures()) {
      CAPTURE(capture.name);
      CHECK(rttm_text(run(recipe, capture).turns, "clip_16k") ==
            text_of(capture.folder / "reference.rttm"));
    }
    for (const Capture& capture : speakrs_captures()) {
      CAPTURE(capture.name);
      const auto expected = parse_rttm(
          text_of(capture.folder / (capture.name + "_expected.rttm")));
      REQUIRE(expected.size() == 1);
      check_close(run(recipe, capture).turns, expected[0]);
    }
  }

  TEST_CASE("embeddings of silent local speakers change nothing") {
    const auto plda = community1_plda();
    if (!plda) return;
    const PyannoteRecipe community1({}, *plda);
    const PyannoteRecipe v31(PyannoteOptions::v3_1());
    for (const Capture& capture : synthetic_captures()) {
      CAPTURE(capture.name);
      Recording with_silent = capture.recording();
      with_silent.embeddings =
          embeddings_of(capture.all_embeddings, capture.activity, true);
      for (const PyannoteRecipe* recipe : {&community1, &v31}) {
        for (const Variant& variant : variants()) {
          const Diarization with = recipe->finish(with_silent, variant.request);
          const Diarization without = run(*recipe, capture, variant.request);
          CHECK(with.turns == without.turns);
          CHECK(with.exclusive_turns == without.exclusive_turns);
        }
      }
    }
  }

  TEST_CASE("an answer given back as a number gives the same turns") {
    const auto plda = community1_plda();
    if (!plda) return;
    const PyannoteRecipe community1({}, *plda);
    const PyannoteRecipe v31(PyannoteOptions::v3_1());
    for (const Capture& capture : synthetic_captures()) {
      for (const PyannoteRecipe* recipe : {&community1, &v31}) {
        CAPTURE(capture.name);
        CAPTURE(recipe == &v31);
        const Diarization found = run(*recipe, capture);
        const Clusters clusters = recipe->cluster(capture.recording(), {});
        // Labels are not clusters where a cluster has no turn or where one had
        // to be made up.
        if (static_cast<int>(clusters.centroids.size(0)) !=
            found.num_speakers) {
          continue;
        }
        const Diarization again =
            run(*recipe, capture, {found.num_speakers, {}, {}});
        CHECK(again.turns == found.turns);
        CHECK(again.exclusive_turns == found.exclusive_turns);
      }
    }
  }

  TEST_CASE("silence gives no turns and no speaker") {
    const PyannoteRecipe recipe(PyannoteOptions::v3_1());
    Recording recording;
    recording.num_samples = 8000;
    recording.activity.chunk_starts = {0};
    recording.activity.active.resize(1);
    const Diarization result = recipe.finish(recording, {});
    CHECK(result.turns.empty());
    CHECK(result.exclusive_turns.empty());
    CHECK(result.num_speakers == 0);
    CHECK(result.seconds == 0.5);
  }

  TEST_CASE("too little speech to cluster is one speaker") {
    const auto plda = community1_plda();
    if (!plda) return;
    Recording recording;
    recording.num_samples = kChunkSamples;
    recording.activity.chunk_starts = {0};
    recording.activity.active.resize(1);
    for (int frame = 100; frame < 150; ++frame) {
      recording.activity.active[0][1][frame] = true;
    }
    recording.embeddings.values = Array<float, 2>({1, 256}, 1.0F);
    recording.embeddings.sources = {{0, 1, -1, 0}};
    const Diarization result =
        PyannoteRecipe({}, *plda).finish(recording, {{}, 2, {}});
    CHECK(result.num_speakers == 1);
    REQUIRE(result.turns.size() == 1);
    CHECK(result.turns[0].onset == frame_middle(100));
    CHECK(std::isnan(result.centroids(0, 0)));
  }

  TEST_CASE("chunks start every step and the last is padded") {
    PyannoteOptions options = PyannoteOptions::v3_1();
    CHECK(PyannoteRecipe(options).chunk_layout().hop_samples == 16000);
    options.step = 2.5;
    const ChunkLayout layout = PyannoteRecipe(options).chunk_layout();
    CHECK(layout.hop_samples == 40000);
    CHECK(layout.last_chunk == LastChunk::kPadded);
  }

  TEST_CASE("options out of range are refused") {
    const auto refused = [](auto change) {
      PyannoteOptions options = PyannoteOptions::v3_1();
      change(options);
      CHECK_THROWS_AS(PyannoteRecipe{options}, FatalError);
    };
    refused([](PyannoteOptions& options) { options.step = 0.015; });
    refused([](PyannoteOptions& options) { options.step = 0.0; });
    refused([](PyannoteOptions& options) { options.step = 10.5; });
    refused([](PyannoteOptions& options) { options.threshold = -0.1; });
    refused([](PyannoteOptions& options) { options.threshold = std::nan(""); });
    refused([](PyannoteOptions& options) { options.Fb = 0.0; });
    refused([](PyannoteOptions& options) { options.min_cluster_size = 0; });
    refused([](PyannoteOptions& options) { options.min_duration_off = -1.0; });
    CHECK_THROWS_AS(PyannoteRecipe(PyannoteOptions{}), FatalError);
  }
}

}  // namespace diarize::test
