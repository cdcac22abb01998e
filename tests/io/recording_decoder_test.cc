#include "io/recording_decoder.h"

#include "core/error.h"
#include "io/ffmpeg.h"
#include "io/sndfile_source.h"
#include "tests/io/make_audio.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>
#include <sndfile.h>

#include <chrono>
#include <cstdlib>
#include <string>

namespace {

using diarize::decode_file;
using diarize::decode_recording;
using diarize::DecodeOnce;
using diarize::DecodeOptions;
using diarize::DecodeReport;
using diarize::InputError;
using diarize::SampleSink;
using diarize::test::ramp;
using diarize::test::read_bytes;
using diarize::test::TemporaryFolder;
using diarize::test::tones;
using diarize::test::wav_bytes;
using diarize::test::write_audio;

struct Decoded {
  std::vector<float> samples;
  DecodeReport report;
  int restarts = 0;
};

Decoded decode_with(const DecodeOnce& once, const std::filesystem::path& path) {
  Decoded decoded;
  decoded.report = decode_recording(
      once, path, {},
      [&](std::span<const float> samples) {
        decoded.samples.insert(decoded.samples.end(), samples.begin(),
                               samples.end());
      },
      [&] {
        decoded.samples.clear();
        ++decoded.restarts;
      });
  CHECK(decoded.report.num_samples == std::ssize(decoded.samples));
  return decoded;
}

std::string failure(const std::filesystem::path& path) {
  try {
    static_cast<void>(decode_with(decode_file, path));
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

bool has_ffmpeg() {
  const bool found = diarize::find_ffmpeg().has_value();
  if (!found) MESSAGE("skipped: ffmpeg is not in PATH");
  return found;
}

// PATH without ffmpeg for as long as it lives.
class EmptyPath {
 public:
  explicit EmptyPath(const std::string& folder = "/none")
      : before_(std::getenv("PATH")) {
    ::setenv("PATH", folder.c_str(), 1);
  }
  ~EmptyPath() { ::setenv("PATH", before_.c_str(), 1); }
  EmptyPath(const EmptyPath&) = delete;
  EmptyPath& operator=(const EmptyPath&) = delete;

 private:
  std::string before_;
};

// Makes a file with the ffmpeg program from a WAV of 2 s.
std::filesystem::path convert(const TemporaryFolder& folder,
                              const std::string& name) {
  write_audio(folder.path() / "in.wav", tones(88200, 2, 44100), 2, 44100,
              SF_FORMAT_WAV | SF_FORMAT_PCM_16);
  const std::string command = "ffmpeg -nostdin -loglevel error -i " +
                              (folder.path() / "in.wav").string() + " " +
                              (folder.path() / name).string();
  REQUIRE(std::system(command.c_str()) == 0);
  return folder.path() / name;
}

std::filesystem::path opposite_phase(const TemporaryFolder& folder) {
  std::vector<float> stereo;
  for (const float sample : tones(16000, 1, 16000)) {
    stereo.insert(stereo.end(), {-0.99F * sample, sample});
  }
  write_audio(folder.path() / "a.wav", stereo, 2, 16000,
              SF_FORMAT_WAV | SF_FORMAT_FLOAT);
  return folder.path() / "a.wav";
}

}  // namespace

TEST_SUITE("recording_decoder") {
  TEST_CASE("a sound file is decoded once") {
    const TemporaryFolder folder;
    const auto path = folder.write("a.wav", wav_bytes(ramp(30000)));
    const auto decoded = decode_with(decode_file, path);
    CHECK(decoded.restarts == 0);
    CHECK(decoded.samples.size() == 30000);
    CHECK(decoded.report.warnings.empty());
  }

  TEST_CASE("the louder of two channels that cancel is used instead") {
    const TemporaryFolder folder;
    const auto decoded = decode_with(decode_file, opposite_phase(folder));
    CHECK(decoded.restarts == 1);
    CHECK(decoded.samples == tones(16000, 1, 16000));
    CHECK(decoded.report.warnings ==
          std::vector<std::string>{
              "its two channels cancel each other out in their mean, which is "
              "over 20 dB below channel 2: that channel was used instead"});
  }

  TEST_CASE("standard input is read once and its channels only reported") {
    const TemporaryFolder folder;
    const auto path = opposite_phase(folder);
    int runs = 0;
    const DecodeOnce once = [&](const std::filesystem::path&,
                                const DecodeOptions& options,
                                const SampleSink& sink) {
      ++runs;
      return decode_file(path, options, sink);
    };
    const auto decoded = decode_with(once, "-");
    CHECK(runs == 1);
    REQUIRE(decoded.report.warnings.size() == 1);
    CHECK(decoded.report.warnings[0].ends_with(
        "--channel 2 would take that one"));
  }

  TEST_CASE("containers that only ffmpeg reads go through it") {
    if (!has_ffmpeg()) return;
    for (const std::string name : {"a.m4a", "a.mkv", "a.wma", "a.aac"}) {
      CAPTURE(name);
      const TemporaryFolder folder;
      const auto decoded = decode_with(decode_file, convert(folder, name));
      CHECK(decoded.report.seconds_read == doctest::Approx(2.0).epsilon(0.06));
      CHECK(decoded.report.format.sample_rate == 44100);
      CHECK(decoded.report.format.num_channels == 2);
      CHECK(decoded.report.format.encoding.ends_with(" through ffmpeg"));
      CHECK(decoded.report.warnings.empty());
    }
  }

  TEST_CASE("without ffmpeg the container is named and ffmpeg asked for") {
    const TemporaryFolder folder;
    const EmptyPath path;
    CHECK(failure(folder.write("a.m4a", "....ftypM4A ....")) ==
          "is an MPEG-4 file (m4a, mp4, mov), which takes ffmpeg to read: "
          "install it (ffmpeg is not in PATH)");
  }

  TEST_CASE("what ffmpeg cannot read either says why") {
    if (!has_ffmpeg()) return;
    const TemporaryFolder folder;
    const std::string bytes = read_bytes(convert(folder, "a.m4a"));
    CHECK(failure(folder.write("cut.m4a", bytes.substr(0, bytes.size() / 2))) ==
          "is an MPEG-4 file (m4a, mp4, mov) that ffmpeg cannot read: moov "
          "atom not found");
    CHECK(failure(folder.write("text.wav", "not audio\n"))
              .starts_with("is text, expected audio"));
  }

  TEST_CASE("an ffmpeg that hangs costs its file no more than the time set") {
    const TemporaryFolder folder;
    const auto program =
        folder.write("bin/ffmpeg", "#!/bin/sh\nexec /bin/sleep 1000\n");
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    const EmptyPath path(program.parent_path().string());
    using namespace std::string_literals;
    const auto file = folder.write(
        "a.m4a", "\0\0\0\x18"s + "ftypM4A " + std::string(99, 'x'));
    DecodeOptions options;
    options.waiting.timeout = std::chrono::milliseconds(300);
    const auto ignore = [](std::span<const float>) {};
    CHECK_THROWS_WITH(
        static_cast<void>(diarize::decode_file(file, options, ignore)),
        "the sender gave nothing for 0.3 s");
  }

  TEST_CASE("a chained Ogg is read to its end") {
    if (!has_ffmpeg()) return;
    const TemporaryFolder folder;
    write_audio(folder.path() / "a.ogg", tones(32000, 1, 16000), 1, 16000,
                SF_FORMAT_OGG | SF_FORMAT_VORBIS);
    const std::string bytes = read_bytes(folder.path() / "a.ogg");
    const auto path = folder.write("b.ogg", bytes + bytes);
    const auto decoded = decode_with(decode_file, path);
    CHECK(decoded.restarts == 1);
    CHECK(decoded.report.seconds_read == doctest::Approx(4.0).epsilon(0.05));
    const EmptyPath no_ffmpeg;
    const auto less = decode_with(decode_file, path);
    CHECK(less.report.seconds_read == 2.0);
    CHECK(less.report.warnings ==
          std::vector<std::string>{
              "another stream follows the first one, which ends at 2.00 s",
              "ffmpeg might read on: it is not in PATH"});
  }

  TEST_CASE("a cut FLAC keeps what libsndfile read with a warning") {
    const TemporaryFolder folder;
    write_audio(folder.path() / "a.flac", tones(160000, 1, 16000), 1, 16000,
                SF_FORMAT_FLAC | SF_FORMAT_PCM_16);
    const std::string bytes = read_bytes(folder.path() / "a.flac");
    const auto path =
        folder.write("b.flac", bytes.substr(0, bytes.size() * 6 / 10));
    const auto decoded = decode_with(decode_file, path);
    CHECK(decoded.report.seconds_read > 3.0);
    CHECK(decoded.report.seconds_promised == 10.0);
    REQUIRE_FALSE(decoded.report.warnings.empty());
    CHECK(decoded.report.warnings[0].find("its header promises 10.00 s") !=
          std::string::npos);
  }

  TEST_CASE("files one behind the other are read to the last") {
    if (!has_ffmpeg()) return;
    const TemporaryFolder folder;
    for (const auto& [name, format] :
         {std::pair{"a.flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_16},
          std::pair{"a.mp3", SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III}}) {
      CAPTURE(name);
      const auto one = folder.path() / name;
      write_audio(one, tones(480000, 1, 16000), 1, 16000, format);
      const std::string bytes = read_bytes(one);
      const auto decoded = decode_with(
          decode_file,
          folder.write("two" + one.extension().string(), bytes + bytes));
      CHECK(decoded.report.seconds_read > 59.0);
      CHECK_FALSE(decoded.report.warnings.empty());
    }
  }

  TEST_CASE("a damaged FLAC is read past the damage") {
    if (!has_ffmpeg()) return;
    const TemporaryFolder folder;
    write_audio(folder.path() / "a.flac", tones(160000, 1, 16000), 1, 16000,
                SF_FORMAT_FLAC | SF_FORMAT_PCM_16);
    std::string bytes = read_bytes(folder.path() / "a.flac");
    for (std::size_t place = bytes.size() / 2; place < bytes.size() / 2 + 200;
         ++place) {
      bytes[place] = static_cast<char>(bytes[place] ^ 0x5A);
    }
    const auto decoded =
        decode_with(decode_file, folder.write("b.flac", bytes));
    CHECK(decoded.report.seconds_read > 9.0);
    CHECK_FALSE(decoded.report.warnings.empty());
  }
}
