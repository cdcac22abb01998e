#include "core/clustering/average_linkage.h"

#include "io/npz.h"
#include "tests/core/clustering/plain_linkage.h"
#include "tests/core/clustering/voices.h"
#include "tests/core/default_golden.h"

#include <doctest/doctest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <random>

namespace diarize {
namespace {

using Labels = std::vector<std::int32_t>;

// Vectors whose products are exact, so that equal distances are frequent.
Array<double, 2> lattice(std::size_t num_vectors, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> bit(0, 1);
  Array<double, 2> vectors({num_vectors, 8});
  for (double& value : vectors.values()) value = 0.5 * bit(random);
  return vectors;
}

TEST_SUITE("average_linkage") {
  TEST_CASE("clusters equal the plain form at every threshold") {
    for (const unsigned seed : {1U, 2U, 3U}) {
      test::VoiceOptions options;
      options.num_vectors = 150;
      options.seed = seed;
      const test::Voices voices = test::make_voices(options);
      const VectorList vectors = rows_of(voices.vectors);
      for (const double threshold : {0.3, 0.35, 0.4, 0.5, 0.7, 1.5}) {
        CHECK(average_linkage(vectors, threshold) ==
              test::plain_linkage(vectors, threshold));
      }
    }
  }

  TEST_CASE("vectors without any structure equal the plain form") {
    test::VoiceOptions options;
    options.num_vectors = 120;
    options.num_voices = 120;
    options.dimension = 6;
    const test::Voices voices = test::make_voices(options);
    const VectorList vectors = rows_of(voices.vectors);
    for (const double threshold : {0.1, 0.3, 0.5, 0.8}) {
      CHECK(average_linkage(vectors, threshold) ==
            test::plain_linkage(vectors, threshold));
    }
  }

  TEST_CASE("more vectors than are settled at once equal the plain form") {
    const test::Voices voices =
        test::make_voices({.num_vectors = 1060, .dimension = 24});
    const VectorList vectors = rows_of(voices.vectors);
    CHECK(average_linkage(vectors, 0.5) == test::plain_linkage(vectors, 0.5));
  }

  TEST_CASE("clusters are the same on one thread and on more") {
    const test::Voices voices =
        test::make_voices({.num_vectors = 13000, .dimension = 8});
    const VectorList vectors = rows_of(voices.vectors);
    const Labels labels = average_linkage(vectors, 0.4);
    const tbb::global_control one_thread(
        tbb::global_control::max_allowed_parallelism, 1);
    CHECK(average_linkage(vectors, 0.4) == labels);
  }

  TEST_CASE("a threshold beyond a right angle takes no vector that is not") {
    const Array<double, 2> three({3, 2}, {1.0, 0.0, -0.6, 0.8, 0.0, -1.0});
    CHECK(average_linkage(rows_of(three), 1.5) ==
          test::plain_linkage(rows_of(three), 1.5));
    CHECK(average_linkage(rows_of(three), 2.5) == Labels{0, 0, 0});
  }

  TEST_CASE("of equally near pairs the lowest merge first") {
    for (unsigned seed = 1; seed <= 20; ++seed) {
      const Array<double, 2> points = lattice(12, seed);
      const VectorList vectors = rows_of(points);
      for (const double threshold : {-0.5, 0.0, 0.25, 0.5}) {
        CHECK(average_linkage(vectors, threshold) ==
              test::plain_linkage(vectors, threshold));
      }
    }
  }

  TEST_CASE("equal vectors become one cluster") {
    const Array<double, 2> equal({5, 3}, {1, 0, 0, 1, 0, 0, 0, 1, 0,  //
                                          1, 0, 0, 0, 1, 0});
    CHECK(average_linkage(rows_of(equal), 0.5) == Labels{0, 0, 1, 0, 1});
  }

  TEST_CASE("a recording that repeats itself equals the plain form") {
    test::VoiceOptions options;
    options.num_vectors = 8;
    const test::Voices voices = test::make_voices(options);
    const VectorList once = rows_of(voices.vectors);
    VectorList vectors;
    for (int copy = 0; copy < 25; ++copy) {
      vectors.insert(vectors.end(), once.begin(), once.end() - copy % 3);
    }
    for (const double threshold : {0.0, 0.3, 0.5, 0.7}) {
      CHECK(average_linkage(vectors, threshold) ==
            test::plain_linkage(vectors, threshold));
    }
  }

  TEST_CASE("vectors with equal products equal the plain form") {
    test::VoiceOptions options;
    options.num_vectors = 40;
    options.seed = 4;
    const Array<double, 2> once = test::make_voices(options).vectors;
    Array<double, 2> all({24 * once.size(0), once.size(1) + 1});
    for (std::size_t row = 0; row < all.size(0); ++row) {
      std::ranges::copy(once.row(row % once.size(0)), all.row(row).begin());
      // Tells the copies apart, but is lost in every product.
      all(row, once.size(1)) = 1e-200 * static_cast<double>(row);
    }
    const VectorList vectors = rows_of(all);
    CHECK(average_linkage(vectors, 0.4) == test::plain_linkage(vectors, 0.4));
  }

  TEST_CASE("equal vectors without a length stay apart") {
    const Array<double, 2> zeros({3, 4}, 0.0);
    CHECK(average_linkage(rows_of(zeros), 0.5) == Labels{0, 1, 2});
  }

  TEST_CASE("a distance equal to the threshold merges") {
    const Array<double, 2> pair({2, 2}, {1.0, 0.0, 0.5, 0.5});
    CHECK(average_linkage(rows_of(pair), 0.5) == Labels{0, 0});
    CHECK(average_linkage(rows_of(pair), 0.49) == Labels{0, 1});
  }

  TEST_CASE("one vector or none is no error") {
    const Array<double, 2> one({1, 2}, {1.0, 0.0});
    CHECK(average_linkage(rows_of(one), 0.5) == Labels{0});
    CHECK(average_linkage({}, 0.5).empty());
  }

  TEST_CASE("vectors of recordings equal the plain form") {
    for (const char* name : {"pyannote_sample", "ami_EN2002a", "falcon_test"}) {
      const auto golden = test::load_golden(name);
      if (!golden) continue;
      const NpzFile file(golden->folder + "/clustering.npz");
      const auto train = file.array<double, 2>("train");
      CHECK(average_linkage(rows_of(train), 0.5) ==
            test::plain_linkage(rows_of(train), 0.5));
    }
  }
}

}  // namespace
}  // namespace diarize
