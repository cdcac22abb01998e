#include "core/clustering/cosine_scores.h"

#include "tests/core/pyannote_goldens.h"
#include "tests/support/shared_data.h"

#include <doctest/doctest.h>

#include <vector>

namespace diarize::test {

TEST_SUITE("cosine_scores") {
  TEST_CASE("scores are one and the cosine") {
    const CosineScores scores(
        Array<double, 2>({3, 2}, {2.0, 0.0, 0.0, 3.0, -1.0, 0.0}));
    const std::vector<float> vector = {5.0F, 0.0F};
    CHECK(scores.scores(vector) == std::vector<double>{2.0, 1.0, 0.0});
    CHECK(scores.best(vector) == 0);
  }

  TEST_CASE("of equal scores the first is best") {
    const CosineScores scores(
        Array<double, 2>({3, 2}, {0.0, 1.0, 1.0, 0.0, 4.0, 0.0}));
    CHECK(scores.best(std::vector<float>{1.0F, 0.0F}) == 1);
  }

  TEST_CASE("scores of real recordings are the reference's") {
    constexpr double kScore = 1e-12;
    const auto check = [=](const Capture& capture, const NpzFile& golden) {
      CAPTURE(capture.name);
      const CosineScores scores(golden.array<double, 2>("centroids"));
      const auto expected = golden.array<double, 3>("soft_clusters");
      const std::size_t num_clusters = expected.size(2);
      double largest = 0.0;
      for (std::size_t row = 0; row < capture.embeddings.sources.size();
           ++row) {
        const EmbeddingSource& source = capture.embeddings.sources[row];
        largest = std::max(
            largest,
            largest_difference(
                scores.scores(capture.embeddings.values.row(row)),
                expected.row(source.chunk)
                    .subspan(source.speaker * num_clusters, num_clusters)));
      }
      CHECK(largest < kScore);
    };
    for (const Capture& capture : findit_captures()) {
      check(capture, NpzFile(capture.folder / "clustering.npz"));
    }
    for (const Capture& capture : synthetic_captures()) {
      for (const std::string layout : {"community1", "v31"}) {
        const NpzFile golden(capture.folder / "../.." / layout / capture.name /
                             "result.npz");
        if (golden.has("soft_clusters")) check(capture, golden);
      }
    }
  }

  TEST_CASE("cosines of another project's vectors agree") {
    constexpr double kFloat = 1e-6;  // of float32 results
    const auto folder = shared_data("data/stages/speakrs");
    if (!folder) return;
    const auto vectors = NpzFile(*folder / "cosine_sim_input.npy")
                             .array<float, 2>("cosine_sim_input");
    const auto expected = NpzFile(*folder / "cosine_sim_expected.npy")
                              .array<double, 2>("cosine_sim_expected");
    Array<double, 2> centroids(vectors.shape());
    std::ranges::copy(vectors.values(), centroids.values().begin());
    const CosineScores scores(centroids);
    for (std::size_t row = 0; row < vectors.size(0); ++row) {
      std::vector<double> found = scores.scores(vectors.row(row));
      for (double& value : found) value -= 1.0;
      CHECK(largest_difference(found, expected.row(row)) < kFloat);
    }
  }
}

}  // namespace diarize::test
