#include "io/audio_input.h"

#include "core/error.h"
#include "tests/io/make_audio.h"
#include "tests/io/pipe.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>

namespace {

using diarize::AudioInput;
using diarize::FileDescriptor;
using diarize::test::Pipe;
using diarize::test::ramp;
using diarize::test::TemporaryFolder;
using diarize::test::wav_bytes;

// Puts a descriptor in the place of standard input for as long as it lives.
class StandardInput {
 public:
  explicit StandardInput(const FileDescriptor& file)
      : before_(diarize::duplicate(STDIN_FILENO)) {
    REQUIRE(::dup2(file.number(), STDIN_FILENO) == STDIN_FILENO);
  }
  ~StandardInput() { ::dup2(before_.number(), STDIN_FILENO); }
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;

 private:
  FileDescriptor before_;
};

// Thrown by whoever waits no longer.
struct GivenUp {};

std::int64_t num_decoded(const std::filesystem::path& path) {
  return diarize::decode_file(path, {}, [](std::span<const float>) {})
      .num_samples;
}

}  // namespace

TEST_SUITE("audio_input") {
  TEST_CASE("a file on a disk is handed on as it is") {
    const TemporaryFolder folder;
    const AudioInput input(folder.write("a.wav", wav_bytes(ramp(100))), false);
    CHECK(input.on_disk());
    CHECK(input.seekable());
  }

  TEST_CASE("a dash reads standard input from a pipe") {
    Pipe pipe(wav_bytes(ramp(50000)));
    const FileDescriptor reader = pipe.reader();
    const StandardInput input(reader);
    CHECK(num_decoded("-") == 50000);
  }

  TEST_CASE("a dash reads standard input from a file") {
    const TemporaryFolder folder;
    const auto file =
        diarize::open_audio_file(folder.write("a.wav", wav_bytes(ramp(50000))));
    const StandardInput input(file);
    CHECK(num_decoded("-") == 50000);
  }

  TEST_CASE("what is kept of standard input can be read again and again") {
    Pipe pipe(wav_bytes(ramp(50000)));
    const FileDescriptor reader = pipe.reader();
    const StandardInput input(reader);
    const diarize::KeptInput kept("-");
    CHECK(num_decoded(kept.path()) == 50000);
    CHECK(num_decoded(kept.path()) == 50000);
  }

  TEST_CASE("waiting for a pipe that nobody writes can be given up") {
    const TemporaryFolder folder;
    const auto named = folder.path() / "pipe";
    REQUIRE(::mkfifo(named.c_str(), 0600) == 0);
    const diarize::Waiting waiting{{}, [] { throw GivenUp{}; }};
    CHECK_THROWS_AS(static_cast<void>(AudioInput(named, false, waiting)),
                    GivenUp);
    std::array<int, 2> ends{};
    REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
    const FileDescriptor reader(ends[0]);
    const FileDescriptor writer(ends[1]);
    const StandardInput input(reader);
    CHECK_THROWS_AS(static_cast<void>(AudioInput("-", false, waiting)),
                    GivenUp);
    CHECK_THROWS_AS(static_cast<void>(diarize::KeptInput("-", waiting)),
                    GivenUp);
    // One that has begun.
    REQUIRE(::write(writer.number(), "RIFF", 4) == 4);
    diarize::DecodeOptions options;
    options.waiting = waiting;
    CHECK_THROWS_AS(static_cast<void>(diarize::decode_file(
                        "-", options, [](std::span<const float>) {})),
                    GivenUp);
  }

  TEST_CASE("only what comes from a disk must come in time") {
    const TemporaryFolder folder;
    const AudioInput file(folder.write("a.wav", wav_bytes(ramp(100))), false);
    const diarize::Waiting waiting{std::chrono::seconds(1), {}};
    CHECK(file.waiting(waiting).timeout);
    Pipe pipe(wav_bytes(ramp(100)));
    const FileDescriptor reader = pipe.reader();
    const StandardInput input(reader);
    CHECK_FALSE(AudioInput("-", false).waiting(waiting).timeout);
  }

  TEST_CASE("ffmpeg is not asked to read what is no sound") {
    const TemporaryFolder folder;
    CHECK_THROWS_WITH_AS(
        static_cast<void>(
            AudioInput(folder.write("a.m3u8", "#EXTM3U\nhttp://x/\n"), true)),
        "is text, expected audio", diarize::InputError);
  }
}
