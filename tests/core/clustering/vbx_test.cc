#include "core/clustering/vbx.h"

#include "core/clustering/plda.h"
#include "core/clustering/training_rows.h"
#include "tests/core/pyannote_goldens.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace diarize::test {
namespace {

// Of float64 posteriors after up to 20 iterations with other orders of
// addition.
constexpr double kPosterior = 1e-12;
// The same relative to the lower bound, which is a sum over all embeddings.
constexpr double kElbo = 1e-12;

// Keeps every speaker, to compare those that would be dropped as well.
VbxOptions keep_all() {
  VbxOptions options;
  options.min_prior = -1.0;
  return options;
}

// Points around 0 and 20 on a line.
Array<double, 2> two_groups() {
  return {{6, 1}, {0.1, -0.2, 0.0, 20.1, 19.9, 20.0}};
}

const std::vector<double> kPhi = {25.0};

}  // namespace

TEST_SUITE("vbx") {
  TEST_CASE("superfluous speakers lose their prior and are dropped") {
    const std::vector<std::int32_t> labels = {0, 0, 1, 2, 2, 3};
    VbxOptions options;
    options.Fa = 0.5;
    options.max_iterations = 200;
    const VbxResult result = vbx(two_groups(), kPhi, labels, options);
    REQUIRE(result.kept.size() == 2);
    CHECK(result.pi.size() == 4);
    for (std::size_t i = 0; i < 6; ++i) {
      const std::size_t own = i < 3 ? 0 : 1;
      CHECK(result.gamma(i, own) == doctest::Approx(1.0));
    }
  }

  TEST_CASE("the lower bound never falls") {
    const std::vector<std::int32_t> labels = {0, 1, 2, 3, 4, 5};
    VbxOptions options;
    options.min_gain = -1e300;
    const VbxResult result = vbx(two_groups(), kPhi, labels, options);
    REQUIRE(result.elbo.size() == 20);
    for (std::size_t i = 1; i < result.elbo.size(); ++i) {
      // pi is floored, which costs the bound its proof but for rounding.
      CHECK(result.elbo[i] > result.elbo[i - 1] - 1e-6);
    }
  }

  TEST_CASE("responsibilities of all speakers sum to one") {
    const std::vector<std::int32_t> labels = {0, 1, 2, 0, 1, 2};
    const VbxResult result = vbx(two_groups(), kPhi, labels, keep_all());
    for (std::size_t i = 0; i < 6; ++i) {
      const auto row = result.gamma.row(i);
      CHECK(std::accumulate(row.begin(), row.end(), 0.0) ==
            doctest::Approx(1.0));
    }
    CHECK(std::accumulate(result.pi.begin(), result.pi.end(), 0.0) ==
          doctest::Approx(1.0));
  }

  TEST_CASE("arrays that do not fit are refused") {
    const std::vector<std::int32_t> labels = {0, 0};
    CHECK_THROWS_AS(static_cast<void>(vbx(two_groups(), kPhi, labels, {})),
                    std::logic_error);
  }

  TEST_CASE("means are weighted with the responsibilities") {
    const Array<double, 2> gamma({2, 2}, {0.5, 1.0, 0.5, 0.0});
    const Array<float, 2> embeddings({3, 1}, {9.0F, 2.0F, 4.0F});
    const std::vector<std::size_t> rows = {1, 2};
    const Array<double, 2> means = weighted_means(gamma, embeddings, rows);
    CHECK(means(0, 0) == doctest::Approx(3.0));
    CHECK(means(1, 0) == doctest::Approx(2.0));
  }

  TEST_CASE("posteriors of real recordings are the reference's") {
    for (const Capture& capture : findit_captures()) {
      CAPTURE(capture.name);
      const NpzFile plda(capture.folder / "plda_embeddings.npz");
      const NpzFile golden(capture.folder / "vbx_state.npz");
      const auto labels = NpzFile(capture.folder / "ahc_init_labels.npy")
                              .values<std::int32_t>("ahc_init_labels");
      const VbxResult result =
          vbx(plda.array<double, 2>("post_plda"), plda.values<double>("phi"),
              labels, keep_all());
      const auto elbo = golden.values<double>("elbo_trajectory");
      REQUIRE(result.elbo.size() == elbo.size());
      CHECK(largest_difference(result.elbo, elbo) <
            kElbo * std::abs(elbo.back()));
      CHECK(largest_difference(result.gamma.values(),
                               golden.values<double>("q_final")) < kPosterior);
      CHECK(largest_difference(result.pi, golden.values<double>("sp_final")) <
            kPosterior);
    }
  }

  TEST_CASE("posteriors of another capture are the reference's") {
    for (const Capture& capture : speakrs_captures()) {
      if (capture.name != "pipeline") continue;
      const auto file = [&](const std::string& name) {
        return NpzFile(capture.folder / (name + ".npy"));
      };
      const VbxResult result =
          vbx(file("pipeline_plda_features")
                  .array<double, 2>("pipeline_plda_features"),
              file("pipeline_plda_phi").values<double>("pipeline_plda_phi"),
              file("pipeline_ahc_clusters")
                  .values<std::int32_t>("pipeline_ahc_clusters"),
              keep_all());
      CHECK(
          largest_difference(
              result.gamma.values(),
              file("pipeline_vbx_gamma").values<double>("pipeline_vbx_gamma")) <
          kPosterior);
      CHECK(largest_difference(
                result.pi,
                file("pipeline_vbx_pi").values<double>("pipeline_vbx_pi")) <
            kPosterior);
    }
  }

  TEST_CASE("posteriors of the synthetic goldens are the reference's") {
    constexpr double kGolden = 1e-9;  // as the goldens allow
    const auto model = community1_plda();
    if (!model) return;
    const Plda plda(*model);
    for (const Capture& capture : synthetic_captures()) {
      const NpzFile golden(capture.folder / "result.npz");
      if (!golden.has("vbx_q")) continue;
      CAPTURE(capture.name);
      const VbxResult result =
          vbx(golden.array<double, 2>("plda_features"), plda.phi(),
              golden.values<std::int32_t>("ahc_labels"), keep_all());
      CHECK(largest_difference(result.gamma.values(),
                               golden.values<double>("vbx_q")) < kGolden);
      CHECK(largest_difference(result.pi, golden.values<double>("vbx_pi")) <
            kGolden);
    }
  }

  TEST_CASE("centroids of real recordings are the reference's") {
    constexpr double kCentroid = 1e-12;
    for (const Capture& capture : findit_captures()) {
      CAPTURE(capture.name);
      const NpzFile plda(capture.folder / "plda_embeddings.npz");
      const auto labels = NpzFile(capture.folder / "ahc_init_labels.npy")
                              .values<std::int32_t>("ahc_init_labels");
      const VbxResult result = vbx(plda.array<double, 2>("post_plda"),
                                   plda.values<double>("phi"), labels, {});
      const auto rows = training_rows(capture.activity, capture.embeddings);
      CHECK(largest_difference(
                weighted_means(result.gamma, capture.embeddings.values, rows)
                    .values(),
                NpzFile(capture.folder / "clustering.npz")
                    .values<double>("centroids")) < kCentroid);
    }
  }
}

}  // namespace diarize::test
