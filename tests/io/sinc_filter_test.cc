#include "io/sinc_filter.h"

#include "core/cpu_level.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

namespace {

using diarize::SincDesign;
using diarize::SincFilter;

}  // namespace

TEST_SUITE("sinc_filter") {
  TEST_CASE("phases and taps are those of torchaudio") {
    struct Size {
      int sample_rate;
      int phases;
      int taps;
    };
    for (const auto& size :
         {Size{8000, 2, 15}, Size{11025, 640, 455}, Size{22050, 320, 459},
          Size{32000, 1, 28}, Size{44100, 160, 475}, Size{48000, 1, 41}}) {
      const SincDesign design(size.sample_rate);
      CHECK(design.num_phases == size.phases);
      CHECK(2 * design.width + design.hop == size.taps);
      CHECK(design.size() == size.phases * size.taps);
    }
  }

  TEST_CASE("taps outside the window are zero and left out") {
    // cos(pi / 2)^2 as doubles have it.
    constexpr double kZero = 1e-30;
    const SincDesign design(44100);
    for (int phase = 0; phase < design.num_phases; ++phase) {
      for (int tap = 0; tap < 475; ++tap) {
        const bool kept =
            tap >= design.first_tap(phase) && tap < design.end_tap(phase);
        if (!kept) CHECK(std::abs(design.value(phase, tap)) < kZero);
      }
    }
    CHECK(SincFilter(design).row_size == 48);
  }

  TEST_CASE("every processor convolves to the same bits") {
    const SincFilter filter{SincDesign(44100)};
    std::vector<float> input(5000);
    for (std::size_t i = 0; i < input.size(); ++i) {
      input[i] = std::sin(static_cast<float>(i * i % 977));
    }
    const auto run = [&] {
      std::vector<float> output(1000);
      diarize::convolve(filter, input, 5, output);
      return output;
    };
    const std::vector<float> best = run();
    CHECK(best.front() != 0.0F);
    for (const auto level :
         {diarize::CpuLevel::kBaseline, diarize::CpuLevel::kAvx2}) {
      const diarize::CpuLevelLimit limit(level);
      CHECK(run() == best);
    }
  }

  TEST_CASE("each phase passes a constant with a gain of one") {
    // The window's own ripple at 0 Hz.
    constexpr double kGain = 1e-3;
    for (const int rate : {8000, 11025, 44100, 48000, 96000}) {
      const SincFilter filter{SincDesign(rate)};
      for (int phase = 0; phase < filter.num_phases; ++phase) {
        double sum = 0.0;
        for (int tap = 0; tap < filter.row_size; ++tap) {
          sum += filter.rows[static_cast<std::size_t>(phase * filter.row_size +
                                                      tap)];
        }
        CHECK(std::abs(sum - 1.0) < kGain);
      }
    }
  }
}
