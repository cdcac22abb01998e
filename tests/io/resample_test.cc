#include "io/resample.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

namespace {

using diarize::make_resampler;
using diarize::resampled_length;
using diarize::ResamplerKind;

constexpr std::array kRates = {7999,  8000,  11025, 12000, 16000, 22050,
                               32000, 44100, 48000, 88200, 96000, 192000};

// Values of no pattern in [-1, 1].
std::vector<float> noise(int num_samples) {
  std::vector<float> samples;
  for (int sample = 0; sample < num_samples; ++sample) {
    const double value = static_cast<double>(sample * 7919 % 1009) / 504.5;
    samples.push_back(static_cast<float>(value - 1.0));
  }
  return samples;
}

void append(std::vector<float>& all, const std::vector<float>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

// Resamples pieces of the sizes given, over and over.
std::vector<float> resample(std::span<const float> samples, int sample_rate,
                            ResamplerKind kind,
                            const std::vector<std::size_t>& pieces) {
  const auto resampler = make_resampler(sample_rate, kind);
  std::vector<float> output;
  std::size_t turn = 0;
  while (!samples.empty()) {
    const std::size_t size =
        std::min(pieces[turn++ % pieces.size()], samples.size());
    append(output, resampler->push(samples.first(size)));
    samples = samples.subspan(size);
  }
  append(output, resampler->finish());
  return output;
}

std::vector<float> resample(std::span<const float> samples, int sample_rate,
                            ResamplerKind kind) {
  return resample(samples, sample_rate, kind, {samples.size() + 1});
}

// torchaudio's formula, all phases and taps, in doubles.
std::vector<double> by_formula(const std::vector<float>& samples, int rate) {
  const int divisor = std::gcd(rate, 16000);
  const int o = rate / divisor;
  const int m = 16000 / divisor;
  const double b = std::min(o, m) * 0.99;
  const int w = static_cast<int>(std::ceil(6.0 * o / b));
  const std::int64_t length = resampled_length(std::ssize(samples), rate);
  std::vector<double> output(static_cast<std::size_t>(length));
  for (std::int64_t n = 0; n < length; ++n) {
    const std::int64_t k = n / m;
    const double j = static_cast<double>(n % m);
    for (int i = 0; i < 2 * w + o; ++i) {
      const std::int64_t place = k * o + i - w;
      if (place < 0 || place >= std::ssize(samples)) continue;
      const double t =
          std::clamp(b * (-j / m + static_cast<double>(i - w) / o), -6.0, 6.0);
      const double window = std::cos(std::numbers::pi * t / 12.0);
      const double sinc =
          t == 0.0 ? 1.0
                   : std::sin(std::numbers::pi * t) / (std::numbers::pi * t);
      output[static_cast<std::size_t>(n)] +=
          b / o * window * window * sinc *
          samples[static_cast<std::size_t>(place)];
    }
  }
  return output;
}

// Of all but the edges, where a tone begins and ends.
double root_mean_square(std::span<const float> samples) {
  samples = samples.subspan(1000, samples.size() - 2000);
  double sum = 0.0;
  for (const float sample : samples) sum += sample * sample;
  return std::sqrt(sum / static_cast<double>(samples.size()));
}

std::vector<float> sine(double hz, int num_samples, int rate) {
  std::vector<float> samples;
  for (int sample = 0; sample < num_samples; ++sample) {
    samples.push_back(static_cast<float>(
        std::sin(2.0 * std::numbers::pi * hz * sample / rate)));
  }
  return samples;
}

}  // namespace

TEST_SUITE("resample") {
  TEST_CASE("the windowed sinc is the formula of torchaudio") {
    // Sums of at most 76 products of float32 against doubles.
    constexpr double kRounding = 2e-6;
    for (const int rate : {8000, 11025, 22050, 32000, 44100, 48000, 96000}) {
      CAPTURE(rate);
      const auto samples = noise(1500);
      const auto expected = by_formula(samples, rate);
      const auto found = resample(samples, rate, ResamplerKind::kSinc);
      REQUIRE(found.size() == expected.size());
      for (std::size_t n = 0; n < found.size(); ++n) {
        CHECK(std::abs(found[n] - expected[n]) < kRounding);
      }
    }
  }

  TEST_CASE("outputs are those of torchaudio's float32 kernels") {
    // float32 kernels in torchaudio move the outputs by this much.
    constexpr double kKernelRounding = 1e-4;
    struct Expected {
      int rate;
      std::size_t length;
      std::array<double, 6> values;  // at 0, 1, 100, 101, 200 and the last
    };
    const std::array<Expected, 4> kExpected = {{
        {8000,
         2000,
         {-0.985827, -0.251273, -0.1533925, -0.2226577, 0.6816092,
          -0.02890255}},
        {11025,
         1452,
         {-0.985827, 0.148156, 0.1217727, -0.1729716, -0.9777197, -0.01357891}},
        {44100,
         363,
         {-0.07807264, 0.1668912, -0.2959745, 0.7390348, -0.2622438,
          0.5562778}},
        {48000,
         334,
         {-0.01050238, 0.01210114, 0.01883929, -0.2281809, -0.2923214,
          0.2895592}},
    }};
    for (const auto& expected : kExpected) {
      const auto found =
          resample(noise(1000), expected.rate, ResamplerKind::kSinc);
      REQUIRE(found.size() == expected.length);
      const std::array<std::size_t, 6> places = {0,   1,   100,
                                                 101, 200, expected.length - 1};
      for (std::size_t index = 0; index < places.size(); ++index) {
        CHECK(std::abs(found[places[index]] - expected.values[index]) <
              kKernelRounding);
      }
    }
  }

  TEST_CASE("lengths are rounded up to whole samples") {
    CHECK(resampled_length(88237, 44100) == 32014);
    for (const auto kind : {ResamplerKind::kAuto, ResamplerKind::kSinc,
                            ResamplerKind::kLibsamplerate}) {
      for (const int rate : kRates) {
        for (const int length : {0, 1, 2, 5, 1000, 4096, 9001}) {
          CAPTURE(rate);
          CAPTURE(length);
          const auto found = resample(noise(length), rate, kind);
          CHECK(std::ssize(found) == (16000LL * length + rate - 1) / rate);
        }
      }
    }
  }

  TEST_CASE("output does not depend on how the input is cut") {
    const std::vector<std::vector<std::size_t>> kCuts = {
        {1, 2, 3}, {997}, {4096}, {4095, 1, 7000}};
    const auto samples = noise(20011);
    for (const auto kind :
         {ResamplerKind::kAuto, ResamplerKind::kLibsamplerate}) {
      for (const int rate : kRates) {
        const auto whole = resample(samples, rate, kind);
        for (const auto& pieces : kCuts) {
          CAPTURE(rate);
          CHECK(resample(samples, rate, kind, pieces) == whole);
        }
      }
    }
  }

  TEST_CASE("16 kHz passes unchanged") {
    const auto samples = noise(100);
    CHECK(resample(samples, 16000, ResamplerKind::kLibsamplerate) == samples);
  }

  TEST_CASE("odd rates go to libsamplerate unless the sinc is asked for") {
    const auto samples = noise(3000);
    const auto chosen = resample(samples, 7999, ResamplerKind::kAuto);
    CHECK(chosen == resample(samples, 7999, ResamplerKind::kLibsamplerate));
    CHECK(chosen != resample(samples, 7999, ResamplerKind::kSinc));
    CHECK(resample(samples, 44100, ResamplerKind::kAuto) ==
          resample(samples, 44100, ResamplerKind::kSinc));
  }

  TEST_CASE("tones in the band pass and tones above 8 kHz do not") {
    constexpr double kRipple = 0.002;
    constexpr double kStopped = 0.003;  // -50 dB, what six crossings give
    for (const auto kind :
         {ResamplerKind::kSinc, ResamplerKind::kLibsamplerate}) {
      for (const int rate : {44100, 48000, 96000}) {
        const auto passed = resample(sine(1000.0, rate, rate), rate, kind);
        CHECK(std::abs(root_mean_square(passed) - std::sqrt(0.5)) < kRipple);
        const auto stopped = resample(sine(11000.0, rate, rate), rate, kind);
        CHECK(root_mean_square(stopped) < kStopped);
      }
    }
  }
}
