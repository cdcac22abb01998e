#include "io/length_estimate.h"

#include "tests/io/make_audio.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>
#include <sndfile.h>
#include <sys/stat.h>

#include <cmath>
#include <string>

using diarize::estimate_length;
using diarize::LengthEstimate;
using diarize::test::TemporaryFolder;

namespace {

constexpr int kRate = 22050;
constexpr int kNumChannels = 2;
constexpr double kSeconds = 3.0;

// Two channels of kSeconds as libsndfile writes them.
LengthEstimate estimate_of(int format) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "a";
  const auto num_frames = static_cast<std::int64_t>(kSeconds * kRate);
  diarize::test::write_audio(
      path, diarize::test::tones(num_frames, kNumChannels, kRate), kNumChannels,
      kRate, format);
  return estimate_length(path);
}

}  // namespace

TEST_SUITE("length estimate") {
  TEST_CASE("plain samples and FLAC last as long as their headers say") {
    // Chunks behind the samples count for samples.
    constexpr double kTolerance = 0.01;
    for (const int format :
         {SF_FORMAT_WAV | SF_FORMAT_PCM_16, SF_FORMAT_WAV | SF_FORMAT_PCM_24,
          SF_FORMAT_WAV | SF_FORMAT_FLOAT, SF_FORMAT_RF64 | SF_FORMAT_PCM_16,
          SF_FORMAT_WAVEX | SF_FORMAT_PCM_16, SF_FORMAT_AIFF | SF_FORMAT_PCM_16,
          SF_FORMAT_FLAC | SF_FORMAT_PCM_16}) {
      CAPTURE(format);
      const LengthEstimate found = estimate_of(format);
      CHECK(std::abs(found.seconds - kSeconds) < kTolerance);
      CHECK(found.num_channels == kNumChannels);
    }
  }

  TEST_CASE("what says no length is judged by its size") {
    const TemporaryFolder folder;
    const auto small = folder.write("a.mp3", std::string(16'000, 'x'));
    const auto large = folder.write("b.mp3", std::string(160'000, 'x'));
    CHECK(estimate_length(small).seconds == 1.0);
    CHECK(estimate_length(large).seconds == 10.0);
    CHECK(estimate_of(SF_FORMAT_OGG | SF_FORMAT_VORBIS).seconds > 0.0);
  }

  TEST_CASE("a header of nonsense gives a length all the same") {
    const TemporaryFolder folder;
    const std::string wav = diarize::test::wav_bytes(diarize::test::ramp(1000));
    for (std::size_t size = 0; size < 60; ++size) {
      CHECK(estimate_length(folder.write("cut", wav.substr(0, size))).seconds <
            1.0);
    }
    std::string slow = wav;
    slow.replace(28, 4, std::string("\1\0\0\0", 4));  // a byte a second
    CHECK(estimate_length(folder.write("slow", slow)).seconds <
          static_cast<double>(slow.size()));
    slow.replace(28, 4, std::string(4, '\0'));
    CHECK(estimate_length(folder.write("stopped", slow)).seconds < 1.0);
    std::string endless = wav;
    endless.replace(16, 4, std::string(4, '\xff'));
    CHECK(estimate_length(folder.write("endless", endless)).seconds > 0.0);
  }

  TEST_CASE("what is no file on a disk is not opened") {
    const TemporaryFolder folder;
    const auto pipe = folder.path() / "pipe";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    CHECK(estimate_length(pipe).seconds == 0.0);
    CHECK(estimate_length(folder.path()).seconds == 0.0);
    CHECK(estimate_length("-").seconds == 0.0);
    CHECK(estimate_length("/no/such/file").seconds == 0.0);
  }
}
