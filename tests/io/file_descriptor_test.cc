#include "io/file_descriptor.h"

#include "core/error.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>

namespace {

using diarize::FileDescriptor;
using diarize::InputError;
using diarize::open_audio_file;
using diarize::test::TemporaryFolder;

bool is_open(int number) { return ::fcntl(number, F_GETFD) >= 0; }

}  // namespace

TEST_SUITE("file_descriptor") {
  TEST_CASE("what cannot hold audio is refused by name") {
    const TemporaryFolder folder;
    CHECK_THROWS_WITH_AS(
        static_cast<void>(open_audio_file(folder.path() / "missing.wav")),
        "no such file, expected an audio file", InputError);
    CHECK_THROWS_WITH_AS(static_cast<void>(open_audio_file(folder.path())),
                         "is a folder, expected an audio file", InputError);
    CHECK_THROWS_WITH_AS(
        static_cast<void>(open_audio_file(folder.write("zero.wav", ""))),
        "is empty (0 bytes), expected an audio file", InputError);
    CHECK_THROWS_WITH_AS(static_cast<void>(open_audio_file(
                             folder.write("a.wav", "x") / "below.wav")),
                         "cannot be opened: Not a directory", InputError);
  }

  TEST_CASE("devices are refused since they may never end") {
    for (const char* name : {"/dev/zero", "/dev/full", "/dev/urandom"}) {
      CAPTURE(name);
      CHECK_THROWS_WITH_AS(static_cast<void>(open_audio_file(name)),
                           "is a device, expected an audio file", InputError);
    }
    CHECK_THROWS_WITH_AS(static_cast<void>(open_audio_file("/dev/null")),
                         "is empty (0 bytes), expected an audio file",
                         InputError);
  }

  TEST_CASE("a pipe that nobody writes is opened and then waited for") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "pipe";
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    const FileDescriptor file = open_audio_file(path);
    CHECK((::fcntl(file.number(), F_GETFL) & O_NONBLOCK) == 0);
  }

  TEST_CASE("a descriptor is closed with its owner and not before") {
    const TemporaryFolder folder;
    int number = -1;
    {
      FileDescriptor first = open_audio_file(folder.write("a.wav", "x"));
      number = first.number();
      const FileDescriptor second = std::move(first);
      CHECK(second.number() == number);
      CHECK(is_open(number));
    }
    CHECK_FALSE(is_open(number));
  }

  TEST_CASE("child processes do not inherit descriptors") {
    const TemporaryFolder folder;
    const auto file = open_audio_file(folder.write("a.wav", "x"));
    CHECK((::fcntl(file.number(), F_GETFD) & FD_CLOEXEC) != 0);
    const auto copy = diarize::duplicate(file.number());
    CHECK((::fcntl(copy.number(), F_GETFD) & FD_CLOEXEC) != 0);
  }
}
