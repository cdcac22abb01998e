#include "core/clustering/refine.h"

#include "core/clustering/average_linkage.h"
#include "core/dot_products.h"
#include "tests/core/clustering/plain_refine.h"
#include "tests/core/clustering/voices.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace diarize {
namespace {

// Pieces of 1.5 s of a few voices.
struct Speech {
  test::Voices voices;
  WeightedVectors pieces;

  explicit Speech(const test::VoiceOptions& options)
      : voices(test::make_voices(options)),
        pieces{rows_of(voices.vectors),
               std::vector<double>(voices.labels.size(), 1.5)} {}

  // Every n-th piece.
  [[nodiscard]] Array<double, 2> start(std::size_t n) const {
    std::vector<double> values;
    for (std::size_t i = 0; i < voices.vectors.size(0); i += n) {
      const auto row = voices.vectors.row(i);
      values.insert(values.end(), row.begin(), row.end());
    }
    return {{values.size() / voices.vectors.size(1), voices.vectors.size(1)},
            std::move(values)};
  }

  // Whether the nearest of the centroids tells the voices apart.
  [[nodiscard]] bool separates(const Array<double, 2>& centroids) const {
    for (std::size_t i = 0; i < voices.labels.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const bool same = nearest_row(pieces.vectors[i], centroids).row ==
                          nearest_row(pieces.vectors[j], centroids).row;
        if (same != (voices.labels[i] == voices.labels[j])) return false;
      }
    }
    return true;
  }
};

// Pieces of many lengths of a few voices, and some of nobody.
struct Meeting {
  Array<double, 2> vectors;
  WeightedVectors pieces;
  Rivals rivals;

  explicit Meeting(unsigned seed) {
    test::VoiceOptions options;
    options.num_vectors = 160;
    options.num_voices = 5;
    options.same = 0.5;
    options.other = 0.25;
    options.dimension = 32;
    options.seed = seed;
    vectors = test::make_voices(options).vectors;
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> seconds(0.5, 1.5);
    std::normal_distribution<double> normal;
    for (std::size_t row = 0; row < vectors.size(0); ++row) {
      if (row % 8 == 0) {
        for (double& value : vectors.row(row)) value = normal(random);
        normalize(vectors.row(row));
      }
      pieces.seconds.push_back(seconds(random));
    }
    pieces.vectors = rows_of(vectors);
    for (std::size_t row = 0; row + 3 < vectors.size(0); row += 5) {
      rivals.first.push_back(vectors.row(row));
      rivals.second.push_back(vectors.row(row + 3));
      rivals.seconds.push_back(seconds(random));
    }
  }

  // Every n-th piece.
  [[nodiscard]] Array<double, 2> start(std::size_t n) const {
    std::vector<double> values;
    for (std::size_t row = 0; row < vectors.size(0); row += n) {
      values.insert(values.end(), vectors.row(row).begin(),
                    vectors.row(row).end());
    }
    return {{values.size() / vectors.size(1), vectors.size(1)},
            std::move(values)};
  }
};

// Two centroids with a cosine, and `seconds` of pieces exactly on each.
struct Pair {
  Array<double, 2> centroids;
  WeightedVectors pieces;

  Pair(double cosine, double first_seconds, double second_seconds)
      : centroids({2, 2}, {1.0, 0.0, cosine, std::sqrt(1.0 - cosine * cosine)}),
        pieces{rows_of(centroids), {first_seconds, second_seconds}} {}

  // Rivals for that many seconds, one on each centroid.
  [[nodiscard]] Rivals rivals(double seconds) const {
    return {{centroids.row(0)}, {centroids.row(1)}, {seconds}};
  }
};

bool nearly_equal(const Array<double, 2>& a, const Array<double, 2>& b) {
  constexpr double kSumOrder = 1e-9;
  return a.shape() == b.shape() &&
         std::ranges::equal(a.values(), b.values(), [](double x, double y) {
           return std::abs(x - y) < kSumOrder;
         });
}

TEST_SUITE("refine") {
  TEST_CASE("the result is that of the plain form") {
    for (unsigned seed = 1; seed <= 8; ++seed) {
      const Meeting meeting(seed);
      for (const std::size_t n : {2, 3, 11}) {
        const Array<double, 2> start = meeting.start(n);
        RefineOptions options;
        options.merge_threshold = seed % 2 == 0 ? 0.6 : 0.75;
        const Array<double, 2> refined =
            refine_centroids(start, meeting.pieces, meeting.rivals, options);
        CHECK(
            nearly_equal(refined, test::plain_refine(start, meeting.pieces,
                                                     meeting.rivals, options)));
        // Without rivals and with requested numbers.
        options.most = static_cast<int>(refined.size(0)) - 1;
        CHECK(nearly_equal(
            refine_centroids(start, meeting.pieces, {}, options),
            test::plain_refine(start, meeting.pieces, {}, options)));
        options.most = 1000;
        options.fewest = static_cast<int>(refined.size(0)) + 3;
        CHECK(nearly_equal(
            refine_centroids(start, meeting.pieces, meeting.rivals, options),
            test::plain_refine(start, meeting.pieces, meeting.rivals,
                               options)));
      }
    }
  }

  TEST_CASE("many centroids become one for each voice") {
    const Speech speech({.num_vectors = 200, .num_voices = 5});
    const Array<double, 2> centroids =
        refine_centroids(speech.start(4), speech.pieces, {}, {});
    CHECK(centroids.size(0) == 5);
    CHECK(speech.separates(centroids));
  }

  TEST_CASE("the threshold is that of the corrected cosine") {
    // 18 s of speech make a quality of 0.9 and 0.6 * 0.9 = 0.54.
    CHECK(centroid_quality(18.0) == doctest::Approx(0.9));
    const Pair above(0.545, 18.0, 18.0);
    CHECK(refine_centroids(above.centroids, above.pieces, {}, {}).size(0) == 1);
    const Pair below(0.535, 18.0, 18.0);
    CHECK(refine_centroids(below.centroids, below.pieces, {}, {}).size(0) == 2);
  }

  TEST_CASE("a higher threshold leaves more speakers") {
    const Pair pair(0.6, 18.0, 18.0);
    RefineOptions options;
    CHECK(refine_centroids(pair.centroids, pair.pieces, {}, options).size(0) ==
          1);
    options.merge_threshold = 0.7;
    CHECK(refine_centroids(pair.centroids, pair.pieces, {}, options).size(0) ==
          2);
  }

  TEST_CASE("rivals stay apart up to a higher cosine") {
    const Pair pair(0.7, 18.0, 18.0);
    const double full = 0.3 * 18.0;
    CHECK(refine_centroids(pair.centroids, pair.pieces, pair.rivals(full), {})
              .size(0) == 2);
    CHECK(refine_centroids(pair.centroids, pair.pieces, pair.rivals(0.2 * full),
                           {})
              .size(0) == 1);
    const Pair alike(0.8, 18.0, 18.0);
    CHECK(refine_centroids(alike.centroids, alike.pieces,
                           alike.rivals(10 * full), {})
              .size(0) == 1);
  }

  TEST_CASE("a speaker with little speech is dropped") {
    const Pair brief(0.0, 18.0, 1.4);
    CHECK(refine_centroids(brief.centroids, brief.pieces, {}, {}).size(0) == 1);
    const Pair enough(0.0, 18.0, 1.6);
    CHECK(refine_centroids(enough.centroids, enough.pieces, {}, {}).size(0) ==
          2);
    // 0.75 % of 400 s is 3 s; six seconds are always enough.
    const Pair share(0.0, 400.0, 2.9);
    CHECK(refine_centroids(share.centroids, share.pieces, {}, {}).size(0) == 1);
    const Pair six(0.0, 2000.0, 6.1);
    CHECK(refine_centroids(six.centroids, six.pieces, {}, {}).size(0) == 2);
  }

  TEST_CASE("it stops at the fewest asked for") {
    const Pair pair(0.9, 18.0, 1.0);
    RefineOptions options;
    options.fewest = 2;
    CHECK(refine_centroids(pair.centroids, pair.pieces, {}, options).size(0) ==
          2);
  }

  TEST_CASE("above the most asked for the pair that costs least is merged") {
    const Array<double, 2> centroids(
        {3, 3}, {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0});
    const WeightedVectors pieces{rows_of(centroids), {20.0, 10.0, 5.0}};
    RefineOptions options;
    options.most = 2;
    const Array<double, 2> result =
        refine_centroids(centroids, pieces, {}, options);
    REQUIRE(result.size(0) == 2);
    // Five seconds are given up to the first of two equally unlike.
    CHECK(result(0, 1) == doctest::Approx(1.0));
    CHECK(result(1, 0) == doctest::Approx(20.0 / std::hypot(20.0, 5.0)));
  }

  TEST_CASE("centroids without pieces vanish") {
    const Array<double, 2> centroids({2, 2}, {1.0, 0.0, 0.0, 1.0});
    const Array<double, 2> one({1, 2}, {1.0, 0.0});
    const WeightedVectors pieces{rows_of(one), {3.0}};
    CHECK(refine_centroids(centroids, pieces, {}, {}) == one);
  }
}

}  // namespace
}  // namespace diarize
