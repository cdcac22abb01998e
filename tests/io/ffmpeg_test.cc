#include "io/ffmpeg.h"

#include "io/sndfile_source.h"
#include "tests/io/make_audio.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <string>

namespace {

using diarize::FfmpegProcess;
using diarize::find_ffmpeg;
using diarize::open_audio_file;
using diarize::test::ramp;
using diarize::test::TemporaryFolder;
using diarize::test::wav_bytes;

// A program of the name ffmpeg that does what a script says.
std::filesystem::path write_program(const TemporaryFolder& folder,
                                    const std::string& script) {
  const auto path = folder.write("ffmpeg", "#!/bin/sh\n" + script);
  ::chmod(path.c_str(), 0700);
  return path;
}

FfmpegProcess::End end_of(const std::string& script) {
  const TemporaryFolder folder;
  const auto file = open_audio_file(folder.write("a", "sound"));
  FfmpegProcess process(write_program(folder, script), file);
  return process.end();
}

}  // namespace

TEST_SUITE("ffmpeg") {
  TEST_CASE("the program is found in the folders of PATH in their order") {
    const TemporaryFolder folder;
    const auto program = write_program(folder, "");
    const std::string before = std::getenv("PATH");
    ::setenv("PATH", ("/none::" + folder.path().string()).c_str(), 1);
    CHECK(find_ffmpeg() == program);
    ::setenv("PATH", "/none", 1);
    CHECK_FALSE(find_ffmpeg());
    ::setenv("PATH", before.c_str(), 1);
  }

  TEST_CASE("its input is the file and its output a source") {
    const TemporaryFolder folder;
    const auto file =
        open_audio_file(folder.write("a.wav", wav_bytes(ramp(50000))));
    FfmpegProcess process(write_program(folder, "cat"), file);
    const auto source = diarize::open_sndfile(process.take_output());
    std::size_t num_samples = 0;
    for (;;) {
      const auto block = source->read();
      if (block.empty()) break;
      num_samples += block.size();
    }
    CHECK(num_samples == 50000);
    const auto end = process.end();
    CHECK(end.complaint.empty());
    CHECK_FALSE(end.seconds_promised);
  }

  TEST_CASE("its first error and the length of the container are heard") {
    const auto end = end_of(
        "echo '  Duration: 01:02:03.45, start: 0.0' >&2\n"
        "echo '[aac @ 0x5] [error] first' >&2\n"
        "echo '[error] second' >&2\n");
    CHECK(end.complaint == "first");
    CHECK(end.seconds_promised == 3723.45);
  }

  TEST_CASE(
      "lengths that are guessed or may be those of pictures do not count") {
    CHECK_FALSE(end_of("echo 'Duration: 00:00:03.00' >&2\n"
                       "echo 'Stream #0:0: Video: h264' >&2\n")
                    .seconds_promised);
    CHECK_FALSE(end_of("echo 'Estimating duration from bitrate' >&2\n"
                       "echo 'Duration: 00:00:03.00' >&2\n")
                    .seconds_promised);
    CHECK_FALSE(end_of("echo 'Duration: N/A' >&2\n").seconds_promised);
  }

  TEST_CASE("a process that fails without a word is told by its status") {
    CHECK(end_of("exit 3").complaint == "ended with status 3");
    CHECK(end_of("kill -9 $$").complaint == "was killed by signal 9 (Killed)");
    CHECK(end_of("sleep 60").complaint.empty());
  }
}
