#include "core/assignment.h"

#include <doctest/doctest.h>

#include <random>

namespace diarize {
namespace {

using Choice = std::array<std::int32_t, kNumLocalSpeakers>;

constexpr std::array<bool, 3> kAllPresent = {true, true, true};

// The best sum over every one-to-one choice of all clusters.
double best_sum(const Array<double, 2>& similarity) {
  double best = -1e9;
  const std::size_t num = similarity.size(1);
  for (std::size_t a = 0; a < num; ++a) {
    for (std::size_t b = 0; b < num; ++b) {
      for (std::size_t c = 0; c < num; ++c) {
        if (a == b || a == c || b == c) continue;
        best = std::max(best,
                        similarity(0, a) + similarity(1, b) + similarity(2, c));
      }
    }
  }
  return best;
}

TEST_SUITE("assignment") {
  TEST_CASE("the sum counts and not the best of each") {
    const Array<double, 2> similarity({3, 3}, {0.9, 0.8, 0.0,  //
                                               0.9, 0.1, 0.0,  //
                                               0.0, 0.0, 0.1});
    CHECK(assign_speakers(similarity, kAllPresent) == Choice{1, 0, 2});
  }

  TEST_CASE("speakers left without a cluster are inactive") {
    const Array<double, 2> similarity({3, 1}, {0.2, 0.7, 0.1});
    CHECK(assign_speakers(similarity, kAllPresent) ==
          Choice{kInactive, 0, kInactive});
  }

  TEST_CASE("absent speakers take no cluster") {
    const Array<double, 2> similarity({3, 2}, {0.9, 0.8, 0.5, 0.4, 0.3, 0.2});
    CHECK(assign_speakers(similarity, {false, true, false}) ==
          Choice{kInactive, 0, kInactive});
    CHECK(assign_speakers(similarity, {false, false, false}) ==
          Choice{kInactive, kInactive, kInactive});
  }

  TEST_CASE("speakers without evidence take the lowest clusters left") {
    const Array<double, 2> similarity({3, 4}, {0.0, 0.0, 0.0, 0.0,  //
                                               0.5, 0.1, 0.0, 0.0,  //
                                               0.0, 0.0, 0.0, 0.0});
    CHECK(assign_speakers(similarity, kAllPresent) == Choice{1, 0, 2});
  }

  TEST_CASE("without clusters everybody is inactive") {
    const Array<double, 2> similarity({3, 0});
    CHECK(assign_speakers(similarity, kAllPresent) ==
          Choice{kInactive, kInactive, kInactive});
  }

  TEST_CASE("no choice of all clusters is better") {
    constexpr double kRounding = 1e-9;
    std::mt19937 random(5);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    for (int trial = 0; trial < 50; ++trial) {
      Array<double, 2> similarity({3, 6});
      for (double& value : similarity.values()) value = uniform(random);
      const Choice choice = assign_speakers(similarity, kAllPresent);
      double sum = 0.0;
      for (int speaker = 0; speaker < 3; ++speaker) {
        sum += similarity(speaker, choice[speaker]);
      }
      CHECK(std::abs(sum - best_sum(similarity)) < kRounding);
    }
  }
}

}  // namespace
}  // namespace diarize
