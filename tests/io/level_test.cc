#include "io/level.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace {

using diarize::LevelMeter;

constexpr int kRate = 8000;
// Sums of squares are doubles of float samples.
constexpr double kDecibels = 1e-6;

}  // namespace

TEST_SUITE("level") {
  TEST_CASE("a sine of full scale has an RMS of -3.01 dBFS and a peak of 0") {
    std::vector<float> sine;
    for (int sample = 0; sample < kRate; ++sample) {
      const double turns = sample / 8.0;
      sine.push_back(
          static_cast<float>(std::sin(2.0 * std::numbers::pi * turns)));
    }
    LevelMeter meter;
    meter.add(sine);
    const auto level = meter.level(kRate);
    CHECK(level.rms_dbfs ==
          doctest::Approx(20.0 * std::log10(std::sqrt(0.5))).epsilon(1e-6));
    CHECK(std::abs(level.peak_dbfs) < kDecibels);
    CHECK(level.peak_seconds == 2.0 / kRate);
  }

  TEST_CASE("the place of a negative peak counts over all pieces") {
    LevelMeter meter;
    meter.add(std::vector<float>(1001, 0.25F));
    meter.add(std::vector<float>{0.0F, 0.1F, -0.5F, 0.5F});
    const auto level = meter.level(kRate);
    CHECK(level.peak_seconds == 1003.0 / kRate);
    CHECK(std::abs(level.peak_dbfs - 20.0 * std::log10(0.5)) < kDecibels);
  }

  TEST_CASE("silence and nothing at all are minus infinity") {
    LevelMeter meter;
    CHECK(std::isinf(meter.level(kRate).rms_dbfs));
    meter.add(std::vector<float>(100));
    CHECK(meter.level(kRate).rms_dbfs < 0.0);
    CHECK(std::isinf(meter.level(kRate).rms_dbfs));
    CHECK(std::isinf(meter.level(kRate).peak_dbfs));
  }

  TEST_CASE("the first sample that is no number is found") {
    for (const float bad : {std::numeric_limits<float>::quiet_NaN(),
                            -std::numeric_limits<float>::infinity()}) {
      std::vector<float> samples(37, std::numeric_limits<float>::max());
      LevelMeter meter;
      meter.add(samples);
      CHECK_FALSE(meter.non_finite());
      samples[20] = bad;
      samples[36] = bad;
      meter.add(samples);
      REQUIRE(meter.non_finite());
      CHECK(*meter.non_finite() == 57);
    }
  }

  TEST_CASE("levels of channels together are those of all their samples") {
    LevelMeter loud;
    loud.add(std::vector<float>{0.0F, 0.5F, 0.25F});
    LevelMeter quiet;
    quiet.add(std::vector<float>{0.5F, 0.0F, 0.0F});
    LevelMeter both;
    both.merge(loud);
    both.merge(quiet);
    const auto expected = both.level(kRate);
    const std::vector<diarize::Level> apart{loud.level(kRate),
                                            quiet.level(kRate)};
    const auto together = diarize::level_together(apart);
    CHECK(std::abs(together.rms_dbfs - expected.rms_dbfs) < kDecibels);
    CHECK(together.peak_dbfs == expected.peak_dbfs);
    CHECK(together.peak_seconds == 0.0);
    CHECK(std::isinf(diarize::level_together({}).rms_dbfs));
    CHECK(std::isinf(
        diarize::level_together(std::vector<diarize::Level>(2)).rms_dbfs));
  }

  TEST_CASE("merged channels have the mean power and the largest peak") {
    LevelMeter loud;
    loud.add(std::vector<float>{0.0F, 1.0F});
    LevelMeter silent;
    silent.add(std::vector<float>{0.0F, 0.0F});
    LevelMeter both;
    both.merge(silent);
    both.merge(loud);
    const auto level = both.level(2);
    CHECK(std::abs(level.rms_dbfs - 20.0 * std::log10(0.5)) < kDecibels);
    CHECK(level.peak_seconds == 0.5);
  }
}
