#include "core/nn/masked_pooling.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

namespace {

using diarize::FrameSet;
using diarize::nn::pooled_statistics;
using diarize::nn::selected_trunk_frames;

constexpr float kTolerance = 1e-5F;  // a few roundings of float32

}  // namespace

TEST_SUITE("masked_pooling") {
  TEST_CASE("a full mask selects every trunk frame") {
    CHECK(selected_trunk_frames(FrameSet().set()).size() ==
          diarize::nn::kTrunkFrames);
  }

  TEST_CASE("trunk frames look at the mask at floored places") {
    FrameSet mask;
    for (const std::size_t frame : {0, 4, 9, 14, 18}) mask.set(frame);
    CHECK(selected_trunk_frames(mask) == std::vector<int>{0, 1, 2, 3, 4});
  }

  TEST_CASE("a run between two samples of the mask vanishes") {
    FrameSet mask;
    for (const std::size_t frame : {5, 6, 7, 8}) mask.set(frame);
    CHECK(selected_trunk_frames(mask).empty());
  }

  TEST_CASE("mean and deviation are those of the selected frames") {
    // Two rows, four frames, three channels.
    std::vector<float> trunk(24);
    std::iota(trunk.begin(), trunk.end(), 0.0F);
    const std::vector<int> selected = {1, 3};
    const auto statistics = pooled_statistics(trunk, 2, 4, 3, selected);
    REQUIRE(statistics.size() == 12);
    CHECK(statistics[0] == doctest::Approx(6.0F));   // mean of 3 and 9
    CHECK(statistics[5] == doctest::Approx(20.0F));  // mean of 17 and 23
    for (std::size_t i = 6; i < 12; ++i) {
      CHECK(std::abs(statistics[i] - std::sqrt(18.0F)) < kTolerance);
    }
  }

  TEST_CASE("one frame has no deviation and none gives zeros") {
    const std::vector<float> trunk = {1.0F, 2.0F, 3.0F, 4.0F};
    const auto one = pooled_statistics(trunk, 1, 2, 2, std::vector<int>{1});
    CHECK(one == std::vector<float>{3.0F, 4.0F, 0.0F, 0.0F});
    const auto none = pooled_statistics(trunk, 1, 2, 2, {});
    CHECK(none == std::vector<float>(4, 0.0F));
  }
}
