#include "io/decoder.h"

#include "core/error.h"
#include "tests/io/make_audio.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>
#include <sndfile.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace {

using diarize::decode_file;
using diarize::DecodeOptions;
using diarize::DecodeReport;
using diarize::InputError;
using diarize::test::ramp;
using diarize::test::TemporaryFolder;
using diarize::test::tones;
using diarize::test::wav_bytes;
using diarize::test::write_audio;

constexpr int kFloatWav = SF_FORMAT_WAV | SF_FORMAT_FLOAT;

struct Decoded {
  std::vector<float> samples;
  DecodeReport report;
};

Decoded decode_all(const std::filesystem::path& path,
                   const DecodeOptions& options = {}) {
  Decoded decoded;
  decoded.report =
      decode_file(path, options, [&](std::span<const float> piece) {
        CHECK_FALSE(piece.empty());
        decoded.samples.insert(decoded.samples.end(), piece.begin(),
                               piece.end());
      });
  CHECK(decoded.report.num_samples == std::ssize(decoded.samples));
  return decoded;
}

// A source of blocks in memory.
class MemorySource final : public diarize::AudioSource {
 public:
  MemorySource(std::vector<float> samples, int sample_rate,
               std::size_t block_samples)
      : samples_(std::move(samples)), block_samples_(block_samples) {
    format_.sample_rate = sample_rate;
    format_.num_channels = 1;
  }
  [[nodiscard]] const diarize::AudioFormat& format() const override {
    return format_;
  }
  [[nodiscard]] std::span<const float> read() override {
    const auto left = std::span(samples_).subspan(place_);
    const auto block = left.first(std::min(block_samples_, left.size()));
    place_ += block.size();
    return block;
  }
  [[nodiscard]] diarize::SourceReport report() const override { return {}; }

 private:
  std::vector<float> samples_;
  std::size_t block_samples_;
  std::size_t place_ = 0;
  diarize::AudioFormat format_;
};

}  // namespace

TEST_SUITE("decoder") {
  TEST_CASE("16 kHz mono passes to the bit") {
    const TemporaryFolder folder;
    const auto samples = tones(100000, 1, 16000);
    write_audio(folder.path() / "a.wav", samples, 1, 16000, kFloatWav);
    const auto decoded = decode_all(folder.path() / "a.wav");
    CHECK(decoded.samples == samples);
    CHECK(decoded.report.seconds_read == 6.25);
    CHECK(decoded.report.seconds_promised == 6.25);
    CHECK(decoded.report.warnings.empty());
    CHECK_FALSE(decoded.report.cancelled_channel);
  }

  TEST_CASE("stereo of two equal channels is byte-equal to mono") {
    const TemporaryFolder folder;
    const auto mono = tones(50000, 1, 44100);
    std::vector<float> stereo;
    for (const float sample : mono) stereo.insert(stereo.end(), 2, sample);
    write_audio(folder.path() / "mono.wav", mono, 1, 44100, kFloatWav);
    write_audio(folder.path() / "stereo.wav", stereo, 2, 44100, kFloatWav);
    CHECK(decode_all(folder.path() / "mono.wav").samples ==
          decode_all(folder.path() / "stereo.wav").samples);
  }

  TEST_CASE("a channel can be taken alone") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "a.wav";
    std::vector<float> block;
    for (int frame = 0; frame < 500; ++frame) {
      block.insert(block.end(), {0.0F, 0.5F, -0.25F});
    }
    write_audio(path, block, 3, 16000, kFloatWav);
    DecodeOptions options;
    options.channel = 2;
    CHECK(decode_all(path, options).samples == std::vector<float>(500, 0.5F));
    options.channel = 3;
    const auto third = decode_all(path, options);
    CHECK(third.samples == std::vector<float>(500, -0.25F));
    CHECK(third.report.level.rms_dbfs ==
          doctest::Approx(-12.0412).epsilon(1e-5));
    options.channel = 4;
    CHECK_THROWS_WITH_AS(static_cast<void>(decode_all(path, options)),
                         "has 3 channels, channel 4 was asked for", InputError);
  }

  TEST_CASE("samples that are no numbers are errors that name the second") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "a.wav";
    for (const float bad : {std::numeric_limits<float>::quiet_NaN(),
                            std::numeric_limits<float>::infinity()}) {
      auto samples = tones(200000, 2, 16000);
      samples[2 * 100000 + 1] = bad;
      write_audio(path, samples, 2, 16000, kFloatWav);
      CHECK_THROWS_WITH_AS(
          static_cast<void>(decode_all(path)),
          "holds a sample that is no number (NaN or infinite) at 6.250 s in "
          "channel 2, expected finite samples",
          InputError);
      DecodeOptions options;
      options.channel = 1;
      CHECK(decode_all(path, options).samples.size() == 200000);
    }
  }

  TEST_CASE("samples beyond all scales are taken as full scale") {
    const TemporaryFolder folder;
    for (const int num_channels : {1, 2}) {
      std::vector<float> samples = tones(16000, num_channels, 16000);
      const auto expected = decode_all([&] {
        std::vector<float> loud = samples;
        loud[8000] = -1.0F;
        loud[8001] = 1.0F;
        write_audio(folder.path() / "loud.wav", loud, num_channels, 16000,
                    kFloatWav);
        return folder.path() / "loud.wav";
      }());
      samples[8000] = -3e38F;
      samples[8001] = 3e9F;
      write_audio(folder.path() / "a.wav", samples, num_channels, 16000,
                  kFloatWav);
      const auto decoded = decode_all(folder.path() / "a.wav");
      CHECK(decoded.samples == expected.samples);
      CHECK_FALSE(decoded.report.cancelled_channel);
      CHECK(decoded.report.level.peak_dbfs == 0.0);
      REQUIRE(decoded.report.warnings.size() == 1);
      CHECK(decoded.report.warnings[0] ==
            (num_channels == 1
                 ? "2 samples beyond what any scale holds, the first at 0.500 "
                   "s, were taken as full scale"
                 : "2 samples beyond what any scale holds, the first at 0.250 "
                   "s, were taken as full scale"));
    }
  }

  TEST_CASE("samples far beyond full scale stay and are a warning") {
    const TemporaryFolder folder;
    std::vector<float> samples = tones(16000, 1, 16000);
    for (float& sample : samples) sample *= 32768;
    write_audio(folder.path() / "a.wav", samples, 1, 16000, kFloatWav);
    const auto decoded = decode_all(folder.path() / "a.wav");
    CHECK(decoded.samples == samples);
    REQUIRE(decoded.report.warnings.size() == 1);
    CHECK(decoded.report.warnings[0].starts_with("its samples reach "));
  }

  TEST_CASE("decoding says what its stages took") {
    const TemporaryFolder folder;
    write_audio(folder.path() / "a.wav", tones(44100, 2, 44100), 2, 44100,
                kFloatWav);
    const auto times = decode_all(folder.path() / "a.wav").report.times;
    CHECK(times.read > 0.0);
    CHECK(times.decode >= 0.0);
    CHECK(times.resample > 0.0);
  }

  TEST_CASE("a file without samples is an error") {
    const TemporaryFolder folder;
    CHECK_THROWS_WITH_AS(
        static_cast<void>(decode_all(folder.write("a.wav", wav_bytes({})))),
        "holds no samples (WAV (Microsoft), Signed 16 bit PCM), expected "
        "audio",
        InputError);
    CHECK(decode_all(folder.write("one.wav", wav_bytes(ramp(1))))
              .samples.size() == 1);
  }

  TEST_CASE("a cut file is a warning with both times") {
    const TemporaryFolder folder;
    const auto bytes = wav_bytes(ramp(32000)).substr(0, 44 + 16000);
    const auto decoded = decode_all(folder.write("cut.wav", bytes));
    CHECK(decoded.samples.size() == 8000);
    CHECK(decoded.report.seconds_read == 0.5);
    CHECK(decoded.report.seconds_promised == 2.0);
    CHECK(
        decoded.report.warnings ==
        std::vector<std::string>{"ends at 0.50 s, its header promises 2.00 s"});
  }

  TEST_CASE("a part of a file is taken by whole samples") {
    const TemporaryFolder folder;
    const auto path = folder.write("a.wav", wav_bytes(ramp(30000)));
    const auto whole = decode_all(path).samples;
    DecodeOptions options;
    options.start = 0.25;
    options.duration = 0.5;
    const auto part = decode_all(path, options);
    CHECK(part.samples ==
          std::vector<float>(whole.begin() + 4000, whole.begin() + 12000));
    CHECK(part.report.seconds_read == 0.75);
    CHECK(part.report.warnings.empty());
    CHECK(part.report.level.peak_seconds ==
          doctest::Approx(11999.0 / 16000.0).epsilon(1e-12));
    options.duration.reset();
    CHECK(decode_all(path, options).samples.size() == 26000);
    options.start = 1.875;
    CHECK_THROWS_WITH_AS(static_cast<void>(decode_all(path, options)),
                         "ends at 1.88 s, expected more behind the start "
                         "asked for, 1.88 s",
                         InputError);
  }

  TEST_CASE("channels of opposite phase are reported with the louder one") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "a.wav";
    const auto mono = tones(16000, 1, 16000);
    for (const auto& [left, right, cancelled] :
         {std::tuple{1.0F, -0.98F, std::optional<int>(1)},
          std::tuple{-0.98F, 1.0F, std::optional<int>(2)},
          std::tuple{1.0F, -0.7F, std::optional<int>()},
          std::tuple{0.0F, 1.0F, std::optional<int>()},
          std::tuple{0.0F, 0.0F, std::optional<int>()}}) {
      std::vector<float> stereo;
      for (const float sample : mono) {
        stereo.insert(stereo.end(), {left * sample, right * sample});
      }
      write_audio(path, stereo, 2, 16000, kFloatWav);
      CHECK(decode_all(path).report.cancelled_channel == cancelled);
    }
  }

  TEST_CASE("the cut of the blocks does not show in the output") {
    const auto samples = tones(30000, 1, 44100);
    std::vector<float> expected;
    for (const std::size_t block : {30000U, 441U, 1000U, 7U}) {
      std::vector<float> found;
      MemorySource source(samples, 44100, block);
      const auto report = decode(source, {}, [&](std::span<const float> piece) {
        found.insert(found.end(), piece.begin(), piece.end());
      });
      CHECK(report.num_samples == (16000LL * 30000 + 44099) / 44100);
      if (expected.empty()) expected = found;
      CHECK(found == expected);
    }
  }

  TEST_CASE("what the sink throws ends the decoding") {
    MemorySource source(tones(30000, 1, 16000), 16000, 1000);
    int calls = 0;
    CHECK_THROWS_AS(static_cast<void>(decode(source, {},
                                             [&](std::span<const float>) {
                                               ++calls;
                                               throw InputError("enough");
                                             })),
                    InputError);
    CHECK(calls == 1);
  }

  TEST_CASE("a header can be asked alone") {
    const TemporaryFolder folder;
    write_audio(folder.path() / "a.flac", tones(44100, 2, 44100), 2, 44100,
                SF_FORMAT_FLAC | SF_FORMAT_PCM_16);
    const auto info = diarize::probe_file(folder.path() / "a.flac");
    CHECK(info.format.sample_rate == 44100);
    CHECK(info.format.num_channels == 2);
    CHECK(info.seconds_promised == 1.0);
  }

  TEST_CASE("real recordings decode to the length they have") {
    const auto folder = diarize::test::shared_data("data/conversations");
    if (!folder) return;
    const auto call = decode_all(*folder / "aws_call40_stereo_8k.flac");
    CHECK(call.report.format.sample_rate == 8000);
    CHECK(call.report.format.num_channels == 2);
    CHECK(call.report.warnings.empty());
    CHECK(call.report.seconds_read == call.report.seconds_promised);
    CHECK(call.report.num_samples ==
          std::llround(call.report.seconds_read * 16000.0));
    const auto sample = decode_all(*folder / "pyannote_sample.wav");
    CHECK(sample.report.num_samples == 480000);
    CHECK(sample.report.level.rms_dbfs < -10.0);
    CHECK(sample.report.level.rms_dbfs > -60.0);
  }
}
