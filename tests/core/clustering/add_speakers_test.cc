#include "core/clustering/add_speakers.h"

#include "tests/core/clustering/voices.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

namespace diarize {
namespace {

const Array<double, 2> kFirstAxis({1, 3}, {1.0, 0.0, 0.0});

TEST_SUITE("add_speakers") {
  TEST_CASE("nothing changes if there are enough") {
    const Array<double, 2> values({1, 3}, {0.0, 1.0, 0.0});
    const WeightedVectors pieces{rows_of(values), {1.5}};
    CHECK(add_speakers(kFirstAxis, pieces, 1) == kFirstAxis);
  }

  TEST_CASE("a new speaker is the unit sum of the pieces nearest to it") {
    const Array<double, 2> values(
        {3, 3}, {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.8, 0.6});
    const WeightedVectors pieces{rows_of(values), {1.5, 1.5, 1.5}};
    const Array<double, 2> result = add_speakers(kFirstAxis, pieces, 2);
    REQUIRE(result.size(0) == 2);
    CHECK(std::ranges::equal(result.row(0), kFirstAxis.row(0)));
    CHECK(result(1, 1) == doctest::Approx(1.8 / std::hypot(1.8, 0.6)));
    CHECK(result(1, 2) == doctest::Approx(0.6 / std::hypot(1.8, 0.6)));
  }

  TEST_CASE("a long piece that is unlike is better than a short one") {
    const Array<double, 2> values({2, 3}, {0.0, 1.0, 0.0, 0.0, 0.0, 1.0});
    const WeightedVectors pieces{rows_of(values), {0.5, 1.5}};
    const Array<double, 2> result = add_speakers(kFirstAxis, pieces, 2);
    CHECK(result(1, 2) == doctest::Approx(1.0));
  }

  TEST_CASE("it ends when every piece is a speaker of its own") {
    const Array<double, 2> values({2, 3}, {1.0, 0.0, 0.0, 0.0, 1.0, 0.0});
    const WeightedVectors pieces{rows_of(values), {1.5, 1.5}};
    CHECK(add_speakers(kFirstAxis, pieces, 5).size(0) == 2);
  }

  TEST_CASE("the voices that are missing are found") {
    test::VoiceOptions options;
    options.num_voices = 3;
    const test::Voices voices = test::make_voices(options);
    const WeightedVectors pieces{
        rows_of(voices.vectors),
        std::vector<double>(voices.labels.size(), 1.5)};
    Array<double, 2> one({1, options.dimension});
    std::ranges::copy(voices.vectors.row(0), one.row(0).begin());
    CHECK(add_speakers(one, pieces, 3).size(0) == 3);
  }
}

}  // namespace
}  // namespace diarize
