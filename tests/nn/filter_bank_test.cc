#include "core/nn/filter_bank.h"

#include "core/sliding_window.h"
#include "tests/nn/golden.h"
#include "tests/nn/noise.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

namespace diarize::test {
namespace {

constexpr double kTolerance = 2e-3;  // of the goldens; mean 1e-5
constexpr double kMeanTolerance = 1e-5;

double mel(double hertz) { return 1127.0 * std::log(1.0 + hertz / 700.0); }

// One mel bin of one row, by the definition in float64.
double mel_energy(std::span<const float> frame, int bin, float scale,
                  bool hamming) {
  std::vector<double> x(frame.begin(), frame.end());
  double mean = 0.0;
  for (double& v : x) mean += (v *= scale) / 400.0;
  for (double& v : x) v -= mean;
  std::vector<double> y(400);
  for (int j = 0; j < 400; ++j) {
    const double c = std::cos(2.0 * std::numbers::pi * j / 399.0);
    const double window =
        hamming ? 0.54 - 0.46 * c : std::pow(0.5 - 0.5 * c, 0.85);
    y[j] = (x[j] - 0.97 * x[std::max(j - 1, 0)]) * window;
  }
  const double step = (mel(8000.0) - mel(20.0)) / 81.0;
  const double left = mel(20.0) + step * bin;
  double energy = 0.0;
  for (int k = 0; k < 256; ++k) {
    const double m = mel(31.25 * k);
    const double weight =
        std::min((m - left) / step, (left + 2.0 * step - m) / step);
    if (weight <= 0.0) continue;
    std::complex<double> sum;
    for (int j = 0; j < 400; ++j) {
      sum += y[j] * std::polar(1.0, -2.0 * std::numbers::pi * j * k / 512.0);
    }
    energy += weight * std::norm(sum);
  }
  return energy;
}

}  // namespace

TEST_SUITE("filter_bank") {
  TEST_CASE("rows follow the definition for both windows and scales") {
    const std::vector<float> samples = noise(720, 1, 0.1F);
    for (const bool hamming : {false, true}) {
      const float scale = hamming ? 32768.0F : 1.0F;
      const nn::FilterBank bank(
          {hamming ? nn::FeatureWindow::kHamming : nn::FeatureWindow::kPovey,
           scale});
      const Array<float, 2> rows = bank(samples);
      REQUIRE(rows.size(0) == 3);
      for (const int bin : {0, 7, 40, 79}) {
        const double expected = std::log(mel_energy(
            std::span(samples).subspan(320, 400), bin, scale, hamming));
        CHECK(rows(2, bin) == doctest::Approx(expected).epsilon(1e-5));
      }
    }
  }

  TEST_CASE("silence and a constant give the floor") {
    const nn::FilterBank bank;
    for (const float level : {0.0F, 0.5F}) {
      const Array<float, 2> rows = bank(std::vector<float>(1600, level));
      for (const float value : rows.values()) {
        CHECK(value == std::log(1.1920929e-07F));
      }
    }
  }

  TEST_CASE("only complete rows are given") {
    const nn::FilterBank bank;
    CHECK(bank(noise(0, 1, 0.1F)).size(0) == 0);
    CHECK(bank(noise(399, 1, 0.1F)).size(0) == 0);
    CHECK(bank(noise(400, 1, 0.1F)).size(0) == 1);
    CHECK(bank(noise(559, 1, 0.1F)).size(0) == 1);
    CHECK(bank(noise(560, 1, 0.1F)).size(0) == 2);
    CHECK(bank(noise(kChunkSamples, 1, 0.1F)).size(0) == kChunkFeatures);
  }

  TEST_CASE("a row is the same bits wherever its block begins") {
    const nn::FilterBank bank;
    const std::vector<float> samples = noise(20000, 2, 0.1F);
    const Array<float, 2> all = bank(samples);
    for (const std::size_t first : {1, 2, 3, 7, 15, 16, 33}) {
      const Array<float, 2> part =
          bank(std::span(samples).subspan(first * 160));
      for (std::size_t row = 0; row < part.size(0); ++row) {
        CHECK(std::ranges::equal(part.row(row), all.row(row + first)));
      }
    }
  }

  TEST_CASE("recordings have the golden rows") {
    for (const std::string recording :
         {"pyannote_sample", "ami_EN2002a", "falcon_test"}) {
      const auto golden = golden_file(recording, "fbank");
      const auto samples = recording_samples(recording + ".wav");
      if (!golden || !samples) return;
      const auto expected = golden->array<float, 2>("first_chunk");
      const Array<float, 2> found =
          nn::FilterBank()(std::span(*samples).first(kChunkSamples));
      REQUIRE(found.shape() == expected.shape());
      double largest = 0.0;
      double sum = 0.0;
      for (std::size_t i = 0; i < found.values().size(); ++i) {
        const double difference =
            std::abs(found.values()[i] - expected.values()[i]);
        largest = std::max(largest, difference);
        sum += difference;
      }
      CHECK(largest < kTolerance);
      CHECK(sum / static_cast<double>(found.values().size()) < kMeanTolerance);
    }
  }
}

}  // namespace diarize::test
