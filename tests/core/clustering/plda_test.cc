#include "core/clustering/plda.h"

#include "core/clustering/training_rows.h"
#include "tests/core/pyannote_goldens.h"
#include "tests/support/shared_data.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace diarize::test {
namespace {

// Of float64 results of the same formula.
constexpr double kTransform = 1e-12;
// Of the rows of `tr` against an eigen-solver's vectors.
constexpr double kFeatures = 1e-11;

std::vector<std::size_t> all_rows(std::size_t n) {
  std::vector<std::size_t> rows(n);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

// A model that changes nothing but the lengths.
PldaModel plain_model() {
  const Array<double, 2> unit({2, 2}, {1.0, 0.0, 0.0, 1.0});
  return {Array<double, 1>({2}),
          Array<double, 1>({2}),
          unit,
          Array<double, 1>({2}),
          unit,
          Array<double, 1>({2}, {1.0, 3.0})};
}

}  // namespace

TEST_SUITE("plda") {
  TEST_CASE("vectors get the square root of the dimension as length") {
    const Plda plda(plain_model());
    const Array<float, 2> points({1, 2}, {3.0F, 4.0F});
    const Array<double, 2> result = plda.transform(points, all_rows(1));
    CHECK(result(0, 0) == doctest::Approx(0.6 * std::sqrt(2.0)));
    CHECK(result(0, 1) == doctest::Approx(0.8 * std::sqrt(2.0)));
  }

  TEST_CASE("directions are sorted by the variance between speakers") {
    const Plda plda(plain_model());
    CHECK(plda.phi()[0] == 3.0);
    CHECK(plda.phi()[1] == 1.0);
    const Array<double, 2> projected =
        plda.project(Array<double, 2>({1, 2}, {5.0, 7.0}));
    CHECK(projected(0, 0) == 7.0);
    CHECK(projected(0, 1) == 5.0);
  }

  TEST_CASE("arrays that do not fit are refused") {
    PldaModel model = plain_model();
    model.mu = Array<double, 1>({3});
    CHECK_THROWS_AS(Plda{model}, std::logic_error);
    const Plda plda(plain_model());
    CHECK_THROWS_AS(
        static_cast<void>(plda.transform(Array<float, 2>({1, 3}), all_rows(1))),
        std::logic_error);
  }

  TEST_CASE("features of another project's test vectors agree") {
    const auto file =
        shared_data("data/stages/pyannote_ggml/plda_validation.npz");
    const auto model = community1_plda();
    if (!file || !model) return;
    const NpzFile golden(*file);
    const Plda plda(*model);
    const auto embeddings = golden.array<float, 2>("test_embeddings");
    const auto transformed = golden.array<double, 2>("xvec_transform_output");
    CHECK(largest_difference(plda.transform(embeddings, all_rows(10)).values(),
                             transformed.values()) < kTransform);
    CHECK(largest_difference_but_signs(
              plda.project(transformed),
              golden.array<double, 2>("plda_transform_output")) < kFeatures);
  }

  TEST_CASE("features of real recordings are the reference's") {
    const auto model = community1_plda();
    if (!model) return;
    const Plda plda(*model);
    for (const Capture& capture : findit_captures()) {
      CAPTURE(capture.name);
      const NpzFile golden(capture.folder / "plda_embeddings.npz");
      const auto rows = training_rows(capture.activity, capture.embeddings);
      const auto transformed = golden.array<double, 2>("post_xvec");
      CHECK(largest_difference(
                plda.transform(capture.embeddings.values, rows).values(),
                transformed.values()) < kTransform);
      CHECK(largest_difference_but_signs(plda.project(transformed),
                                         golden.array<double, 2>("post_plda")) <
            kFeatures);
      CHECK(largest_difference(plda.phi(), golden.values<double>("phi")) <
            kFeatures);
    }
    for (const Capture& capture : speakrs_captures()) {
      if (capture.name != "pipeline") continue;
      const auto array = [&](const std::string& name) {
        return NpzFile(capture.folder / (name + ".npy"));
      };
      const auto embeddings = array("pipeline_train_embeddings")
                                  .array<float, 2>("pipeline_train_embeddings");
      CHECK(largest_difference_but_signs(
                plda.project(
                    plda.transform(embeddings, all_rows(embeddings.size(0)))),
                array("pipeline_plda_features")
                    .array<double, 2>("pipeline_plda_features")) < kFeatures);
    }
  }

  TEST_CASE("features of the synthetic goldens are the reference's") {
    const auto model = community1_plda();
    if (!model) return;
    const Plda plda(*model);
    int checked = 0;
    for (const Capture& capture : synthetic_captures()) {
      const NpzFile golden(capture.folder / "result.npz");
      if (!golden.has("plda_features")) continue;
      CAPTURE(capture.name);
      const auto rows = training_rows(capture.activity, capture.embeddings);
      CHECK(largest_difference_but_signs(
                plda.project(plda.transform(capture.embeddings.values, rows)),
                golden.array<double, 2>("plda_features")) < kFeatures);
      ++checked;
    }
    CHECK(checked == 3);
  }
}

}  // namespace diarize::test
