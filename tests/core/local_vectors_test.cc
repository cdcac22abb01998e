#include "core/local_vectors.h"

#include "core/clustering/vector_list.h"
#include "io/npz.h"
#include "tests/core/default_golden.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace diarize {
namespace {

constexpr double kSumOrder = 1e-9;  // what another order of adding changes

Array<double, 2> unit_embeddings(const Embeddings& embeddings) {
  Array<double, 2> vectors(embeddings.values.shape());
  std::ranges::copy(embeddings.values.values(), vectors.values().begin());
  for (std::size_t row = 0; row < vectors.size(0); ++row) {
    normalize(vectors.row(row));
  }
  return vectors;
}

TEST_SUITE("local_vectors") {
  TEST_CASE("vectors and seconds equal the reference") {
    for (const char* name : {"pyannote_sample", "ami_EN2002a", "falcon_test"}) {
      const auto golden = test::load_golden(name);
      if (!golden) continue;
      const NpzFile file(golden->folder + "/clustering.npz");
      const auto expected = file.array<double, 3>("local_vectors");
      const auto seconds = file.array<double, 2>("local_seconds");
      const Embeddings& embeddings = golden->recording.embeddings;
      const LocalVectors local =
          make_local_vectors(golden->recording.activity, embeddings.sources,
                             unit_embeddings(embeddings));
      REQUIRE(local.rows.size() == expected.size(0));
      double largest = 0.0;
      for (std::size_t chunk = 0; chunk < local.rows.size(); ++chunk) {
        for (std::size_t speaker = 0; speaker < 3; ++speaker) {
          const std::int32_t row = local.rows[chunk][speaker];
          CHECK(std::abs(local.seconds[chunk][speaker] -
                         seconds(chunk, speaker)) < kSumOrder);
          for (std::size_t i = 0; i < expected.size(2); ++i) {
            const double value = row < 0 ? 0.0 : local.values(row, i);
            largest = std::max(largest,
                               std::abs(value - expected(chunk, speaker, i)));
          }
        }
      }
      CHECK(largest < kSumOrder);
    }
  }

  TEST_CASE("a chunk without pieces has no evidence") {
    LocalActivity activity;
    activity.chunk_starts = {0};
    activity.active.resize(1);
    activity.active[0][1].set(3);
    const LocalVectors local = make_local_vectors(
        activity, {}, Array<double, 2>({std::size_t{0}, std::size_t{2}}));
    CHECK(local.values.size(0) == 0);
    CHECK(local.rows[0][1] == -1);
    CHECK(local.seconds[0][1] == 0.0);
  }

  TEST_CASE("pieces weigh by the time a local speaker is alone on them") {
    LocalActivity activity;
    activity.chunk_starts = {0};
    activity.active.resize(1);
    // Cells 0 and 1; the second only half.
    for (int frame = 0; frame < 132; ++frame) {
      activity.active[0][0].set(frame);
    }
    const std::vector<EmbeddingSource> pieces = {{0, 0, 0, 149}, {0, 0, 1, 74}};
    const Array<double, 2> vectors({2, 2}, {1.0, 0.0, 0.0, 1.0});
    const LocalVectors local = make_local_vectors(activity, pieces, vectors);
    REQUIRE(local.rows[0][0] == 0);
    const double ratio = local.values(0, 1) / local.values(0, 0);
    CHECK(ratio == doctest::Approx(44.0 / 88.0));
    CHECK(local.seconds[0][0] == doctest::Approx(132 * kFrameStep));
  }

  TEST_CASE("pieces without vectors are refused") {
    const std::vector<EmbeddingSource> pieces(2);
    CHECK_THROWS_AS((void)make_local_vectors(LocalActivity{}, pieces,
                                             Array<double, 2>({1, 2})),
                    std::logic_error);
  }
}

}  // namespace
}  // namespace diarize
