#include "io/sndfile_source.h"

#include "core/error.h"
#include "tests/io/make_audio.h"
#include "tests/io/pipe.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sndfile.h>

#include <cmath>
#include <string>
#include <utility>

namespace {

using diarize::InputError;
using diarize::open_audio_file;
using diarize::open_sndfile;
using diarize::test::Pipe;
using diarize::test::ramp;
using diarize::test::read_bytes;
using diarize::test::TemporaryFolder;
using diarize::test::tones;
using diarize::test::wav_bytes;
using diarize::test::write_audio;

struct Kind {
  std::string name;
  int format;
  double tolerance;  // of a sample, by the encoding
};

const std::vector<Kind> kLossless = {
    {"u8.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_U8, 1e-2},
    {"16.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_16, 1e-4},
    {"24.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_24, 1e-6},
    {"32.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_32, 1e-7},
    {"float.wav", SF_FORMAT_WAV | SF_FORMAT_FLOAT, 0.0},
    {"double.wav", SF_FORMAT_WAV | SF_FORMAT_DOUBLE, 0.0},
    {"alaw.wav", SF_FORMAT_WAV | SF_FORMAT_ALAW, 2e-2},
    {"ulaw.wav", SF_FORMAT_WAV | SF_FORMAT_ULAW, 2e-2},
    {"ex.wav", SF_FORMAT_WAVEX | SF_FORMAT_PCM_16, 1e-4},
    {"big.wav", SF_FORMAT_WAV | SF_FORMAT_PCM_16 | SF_ENDIAN_BIG, 1e-4},
    {"a.aiff", SF_FORMAT_AIFF | SF_FORMAT_PCM_16, 1e-4},
    {"a.au", SF_FORMAT_AU | SF_FORMAT_PCM_16, 1e-4},
    {"a.caf", SF_FORMAT_CAF | SF_FORMAT_PCM_16, 1e-4},
    {"a.w64", SF_FORMAT_W64 | SF_FORMAT_PCM_16, 1e-4},
    {"a.rf64", SF_FORMAT_RF64 | SF_FORMAT_PCM_16, 1e-4},
    {"a.flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_16, 1e-4},
};

// These round the length up to their blocks, and the signal as they like.
const std::vector<Kind> kLossy = {
    {"ima.wav", SF_FORMAT_WAV | SF_FORMAT_IMA_ADPCM, 0.02},
    {"ms.wav", SF_FORMAT_WAV | SF_FORMAT_MS_ADPCM, 0.02},
    {"vorbis.ogg", SF_FORMAT_OGG | SF_FORMAT_VORBIS, 0.02},
    {"a.opus", SF_FORMAT_OGG | SF_FORMAT_OPUS, 0.02},
    {"a.mp3", SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III, 0.02},
};

struct Contents {
  std::vector<float> samples;
  diarize::AudioFormat format;
  diarize::SourceReport report;
};

Contents read_all(diarize::FileDescriptor file) {
  const auto source = open_sndfile(std::move(file));
  Contents contents;
  for (;;) {
    const auto block = source->read();
    if (block.empty()) break;
    CHECK(block.size() <= diarize::kMaxBlockSamples);
    contents.samples.insert(contents.samples.end(), block.begin(), block.end());
  }
  CHECK(source->read().empty());
  contents.format = source->format();
  contents.report = source->report();
  return contents;
}

Contents read_all(const std::filesystem::path& path) {
  return read_all(open_audio_file(path));
}

double largest_difference(const std::vector<float>& a,
                          const std::vector<float>& b) {
  double largest = 0.0;
  for (std::size_t index = 0; index < std::min(a.size(), b.size()); ++index) {
    largest = std::max<double>(largest, std::abs(a[index] - b[index]));
  }
  return largest;
}

// Root mean square over all but the first and last fifth, where coders of
// transforms fade in and out.
double typical_difference(const std::vector<float>& a,
                          const std::vector<float>& b) {
  const std::size_t edge = b.size() / 5;
  double sum = 0.0;
  for (std::size_t index = edge; index < b.size() - edge; ++index) {
    sum += (a[index] - b[index]) * (a[index] - b[index]);
  }
  return std::sqrt(sum / static_cast<double>(b.size() - 2 * edge));
}

std::vector<float> as_floats(const std::vector<std::int16_t>& samples) {
  std::vector<float> floats;
  for (const auto sample : samples) {
    floats.push_back(static_cast<float>(sample) / 32768.0F);
  }
  return floats;
}

// The message of the InputError that opening and reading a file ends with.
std::string refusal(const std::filesystem::path& path) {
  try {
    static_cast<void>(read_all(path));
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

}  // namespace

TEST_SUITE("sndfile_source") {
  TEST_CASE("every lossless container and encoding gives back its samples") {
    const TemporaryFolder folder;
    for (const auto& kind : kLossless) {
      CAPTURE(kind.name);
      const auto samples = tones(30000, 2, 44100);
      write_audio(folder.path() / kind.name, samples, 2, 44100, kind.format);
      const auto found = read_all(folder.path() / kind.name);
      CHECK(found.format.sample_rate == 44100);
      CHECK(found.format.num_channels == 2);
      REQUIRE(found.samples.size() == samples.size());
      CHECK(largest_difference(found.samples, samples) <= kind.tolerance);
      CHECK(found.report.num_frames == 30000);
      CHECK(found.report.warnings.empty());
      REQUIRE(found.report.seconds_promised);
      CHECK(*found.report.seconds_promised ==
            doctest::Approx(30000.0 / 44100.0).epsilon(1e-9));
    }
  }

  TEST_CASE("lossy encodings give back what sounds the same") {
    const TemporaryFolder folder;
    for (const auto& kind : kLossy) {
      CAPTURE(kind.name);
      const auto samples = tones(48000, 1, 48000);
      write_audio(folder.path() / kind.name, samples, 1, 48000, kind.format);
      const auto found = read_all(folder.path() / kind.name);
      REQUIRE(std::ssize(found.samples) >= 48000);
      CHECK(found.samples.size() < 48000 + 2400);
      CHECK(typical_difference(found.samples, samples) <= kind.tolerance);
      CHECK(found.report.warnings.empty());
    }
  }

  TEST_CASE("one to six channels at odd rates come interleaved") {
    const TemporaryFolder folder;
    for (const int channels : {1, 2, 3, 6}) {
      for (const int rate : {7999, 11025, 96000}) {
        const auto samples = tones(2000, channels, rate);
        write_audio(folder.path() / "a.wav", samples, channels, rate,
                    SF_FORMAT_WAV | SF_FORMAT_FLOAT);
        const auto found = read_all(folder.path() / "a.wav");
        CHECK(found.format.num_channels == channels);
        CHECK(found.format.sample_rate == rate);
        CHECK(found.samples == samples);
      }
    }
  }

  TEST_CASE("blocks stay small however many channels there are") {
    const TemporaryFolder folder;
    const auto samples = tones(300, 500, 16000);
    write_audio(folder.path() / "a.wav", samples, 500, 16000,
                SF_FORMAT_WAV | SF_FORMAT_FLOAT);
    CHECK(read_all(folder.path() / "a.wav").samples == samples);
  }

  TEST_CASE("wrong sizes in a WAV header do not hide samples") {
    const TemporaryFolder folder;
    const auto samples = ramp(5000);
    for (const std::uint32_t size : {0U, 0xFFFFFFFFU, 0xFFFFFFDBU, 0x7FFFFFFFU,
                                     0x80000000U, 0x7FFFF000U}) {
      for (const std::uint32_t riff_size : {0U, 10036U, size}) {
        CAPTURE(size);
        const auto bytes = wav_bytes(samples, riff_size, size);
        const auto found = read_all(folder.write("a.wav", bytes));
        CHECK(found.samples == as_floats(samples));
        CHECK(found.report.warnings.empty());
        Pipe pipe(bytes);
        const auto piped = read_all(pipe.reader());
        CHECK(piped.samples == as_floats(samples));
        CHECK_FALSE(piped.report.seconds_promised);
      }
    }
  }

  TEST_CASE(
      "bytes behind the samples a header counts are not left in silence") {
    const TemporaryFolder folder;
    const auto bytes = wav_bytes(ramp(20000), 32036, 32000);
    const auto found = read_all(folder.write("a.wav", bytes));
    CHECK(found.samples.size() == 16000);
    CHECK(found.report.warnings ==
          std::vector<std::string>{
              "8000 bytes follow the 1.00 s of samples that its header counts "
              "and were left out"});
    const std::string chunk =
        "LIST" + std::string("\x40\x1f\0\0", 4) + std::string(8000, 'x');
    CHECK(read_all(folder.write("b.wav", wav_bytes(ramp(16000)) + chunk))
              .report.warnings.empty());
  }

  TEST_CASE("samples that look like a chunk stay samples") {
    const TemporaryFolder folder;
    const std::vector<std::int16_t> samples(4000, 0x4141);
    const auto bytes = wav_bytes(samples, 0xFFFFFFFFU, 0xFFFFFFFFU);
    CHECK(read_all(folder.write("a.wav", bytes)).samples == as_floats(samples));
    Pipe pipe(bytes);
    CHECK(read_all(pipe.reader()).samples == as_floats(samples));
  }

  TEST_CASE("every format can come through a pipe") {
    const TemporaryFolder folder;
    for (const auto* kinds : {&kLossless, &kLossy}) {
      for (const auto& kind : *kinds) {
        CAPTURE(kind.name);
        const auto path = folder.path() / kind.name;
        write_audio(path, tones(48000, 1, 48000), 1, 48000, kind.format);
        Pipe pipe(read_bytes(path));
        const auto piped = read_all(pipe.reader());
        const auto direct = read_all(path);
        CHECK(piped.samples == direct.samples);
        CHECK(piped.report.seconds_promised == direct.report.seconds_promised);
      }
    }
  }

  TEST_CASE("a cut file gives what is there and knows what was promised") {
    const TemporaryFolder folder;
    for (const auto& kind : kLossless) {
      CAPTURE(kind.name);
      const auto path = folder.path() / kind.name;
      write_audio(path, tones(48000, 1, 48000), 1, 48000, kind.format);
      const std::string bytes = read_bytes(path);
      folder.write(kind.name, bytes.substr(0, bytes.size() * 6 / 10));
      const auto found = read_all(path);
      CHECK(found.report.num_frames > 20000);
      CHECK(found.report.num_frames < 36000);
      REQUIRE(found.report.seconds_promised);
      CHECK(*found.report.seconds_promised ==
            doctest::Approx(1.0).epsilon(1e-3));
    }
  }

  TEST_CASE("files cut anywhere in their header end in a message") {
    const TemporaryFolder folder;
    for (const auto* kinds : {&kLossless, &kLossy}) {
      for (const auto& kind : *kinds) {
        CAPTURE(kind.name);
        const auto path = folder.path() / kind.name;
        write_audio(path, tones(4800, 1, 48000), 1, 48000, kind.format);
        const std::string bytes = read_bytes(path);
        for (std::size_t size = 1; size < 24; ++size) {
          folder.write(kind.name, bytes.substr(0, size));
          CHECK(refusal(path).find("expected") != std::string::npos);
        }
      }
    }
  }

  TEST_CASE("what is no audio is named") {
    const TemporaryFolder folder;
    const std::string kExpected =
        ", expected audio: WAV, AIFF, AU, CAF, W64, RF64, FLAC, Ogg Vorbis, "
        "Opus or MP3";
    CHECK(refusal(folder.write("text.wav", "not audio\n")) ==
          "is text" + kExpected);
    CHECK(refusal(folder.write("a.m4a", "....ftypM4A ....")) ==
          "is an MPEG-4 file (m4a, mp4, mov)" + kExpected);
    CHECK(refusal(folder.write("bad.wav", "\x01\x02\x03\x04\x05")) ==
          "is not a known format (begins with 01 02 03 04)" + kExpected);
    const std::string wav = wav_bytes(ramp(100));
    CHECK(refusal(folder.write("cut.wav", wav.substr(0, 30))) ==
          "is a WAV file that cannot be read (Error in WAV file. No 'data' "
          "chunk marker), expected a whole audio file");
  }

  TEST_CASE(
      "an endless stream that is no audio is refused by its first bytes") {
    diarize::FileDescriptor zeros(::open("/dev/zero", O_RDONLY | O_CLOEXEC));
    CHECK_THROWS_WITH_AS(
        static_cast<void>(open_sndfile(std::move(zeros))),
        doctest::Contains("not a known format (begins with 00 00 00 00)"),
        diarize::UnreadableError);
  }

  TEST_CASE("what a decoder leaves unread is said and may be read by another") {
    const TemporaryFolder folder;
    const auto one = folder.path() / "one.flac";
    write_audio(one, tones(120000, 1, 16000), 1, 16000,
                SF_FORMAT_FLAC | SF_FORMAT_PCM_16);
    const std::string bytes = read_bytes(one);
    REQUIRE(bytes.size() > 40000);
    const Contents joined = read_all(folder.write("two.flac", bytes + bytes));
    CHECK(joined.samples.size() == 120000);
    CHECK(joined.report.may_hold_more);
    REQUIRE(joined.report.warnings.size() == 1);
    CHECK(joined.report.warnings[0].ends_with(" were not read"));
    const Contents tagged =
        read_all(folder.write("tag.flac", bytes + std::string(8000, 'x')));
    CHECK_FALSE(tagged.report.may_hold_more);
    CHECK(tagged.report.warnings.empty());
  }

  TEST_CASE("reasons make sense to people") {
    const TemporaryFolder folder;
    using namespace std::string_literals;
    CHECK(refusal(folder.write("a.mp3",
                               "\xff\xfb\x90\0"s + std::string(56, '\0'))) ==
          "is an MP3 file that cannot be read (no sound is found in it), "
          "expected a whole audio file");
    std::string no_rate = wav_bytes(ramp(100));
    no_rate.replace(24, 4, 4, '\0');
    CHECK(refusal(folder.write("a.wav", no_rate)) ==
          "is a WAV file that cannot be read (its header makes no sense), "
          "expected a whole audio file");
  }

  TEST_CASE("an empty pipe is named as such") {
    Pipe pipe("");
    CHECK_THROWS_WITH_AS(static_cast<void>(read_all(pipe.reader())),
                         "is empty (0 bytes), expected audio", InputError);
  }

  TEST_CASE("absurd sample rates are refused") {
    const TemporaryFolder folder;
    std::string bytes = wav_bytes(ramp(100));
    bytes.replace(24, 4, std::string("\x01\0\0\0", 4));
    CHECK(refusal(folder.write("a.wav", bytes)) ==
          "has a sample rate of 1 Hz, expected 1000 to 1000000 Hz");
  }

  TEST_CASE("a file that shrinks while it is read is an error") {
    const TemporaryFolder folder;
    const auto path = folder.write("a.wav", wav_bytes(ramp(30000)));
    const auto source = open_sndfile(open_audio_file(path));
    std::filesystem::resize_file(path, 20000);
    CHECK_THROWS_AS(static_cast<void>(source->read()), InputError);
  }
}
