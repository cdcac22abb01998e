#include "io/audio_input.h"

#include "core/error.h"
#include "tests/io/make_audio.h"
#include "tests/io/pipe.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>
#include <unistd.h>

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
    const diarize::KeptInput kept;
    CHECK(num_decoded(kept.path()) == 50000);
    CHECK(num_decoded(kept.path()) == 50000);
  }

  TEST_CASE("ffmpeg is not asked to read what is no sound") {
    const TemporaryFolder folder;
    CHECK_THROWS_WITH_AS(
        static_cast<void>(
            AudioInput(folder.write("a.m3u8", "#EXTM3U\nhttp://x/\n"), true)),
        "is text, expected audio", diarize::InputError);
  }
}
