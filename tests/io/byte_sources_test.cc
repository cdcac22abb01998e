#include "core/error.h"
#include "io/file_bytes.h"
#include "io/patched_bytes.h"
#include "io/spool.h"
#include "io/stream_bytes.h"
#include "tests/io/memory_bytes.h"
#include "tests/io/pipe.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>

namespace {

using diarize::FileBytes;
using diarize::open_audio_file;
using diarize::Patch;
using diarize::PatchedBytes;
using diarize::StreamBytes;
using diarize::test::MemoryBytes;
using diarize::test::Pipe;
using diarize::test::TemporaryFolder;
using diarize::test::text_at;

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

}  // namespace

TEST_SUITE("byte_sources") {
  TEST_CASE("a file is read by position and ends where it ends") {
    const TemporaryFolder folder;
    FileBytes file(open_audio_file(folder.write("a", "0123456789")));
    CHECK(file.size() == 10);
    CHECK(text_at(file, 7, 100) == "789");
    CHECK(text_at(file, 0, 3) == "012");
    CHECK(text_at(file, 10, 3).empty());
    CHECK(text_at(file, 1000, 3).empty());
  }

  TEST_CASE("a file that shrinks while it is read is an error") {
    const TemporaryFolder folder;
    const auto path = folder.write("a", "0123456789");
    FileBytes file(open_audio_file(path));
    std::filesystem::resize_file(path, 4);
    CHECK_THROWS_WITH_AS(
        static_cast<void>(text_at(file, 2, 8)),
        "became shorter while it was read: byte 4 of 10 is gone",
        diarize::InputError);
  }

  TEST_CASE("a file that grows is read as it was opened") {
    const TemporaryFolder folder;
    const auto path = folder.write("a", "0123");
    FileBytes file(open_audio_file(path));
    std::ofstream(path, std::ios::app) << "4567";
    CHECK(text_at(file, 2, 8) == "23");
  }

  TEST_CASE("a stream gives its head again and the rest once") {
    std::string text;
    for (int number = 0; number < 30000; ++number) {
      text += std::to_string(number);
    }
    Pipe pipe(text);
    StreamBytes stream(pipe.reader(), 64);
    CHECK_FALSE(stream.size());
    CHECK(text_at(stream, 60, 20) == text.substr(60, 20));
    CHECK(text_at(stream, 0, 10) == text.substr(0, 10));
    CHECK(text_at(stream, 80, 20000) == text.substr(80, 20000));
    CHECK(text_at(stream, 70000, 9) == text.substr(70000, 9));
    CHECK_THROWS_AS(static_cast<void>(text_at(stream, 100, 1)),
                    std::logic_error);
    const auto size = std::ssize(text);
    CHECK(text_at(stream, size - 5, 100) == text.substr(text.size() - 5));
    CHECK(stream.size() == size);
    CHECK(text_at(stream, size + 5, 100).empty());
  }

  TEST_CASE("a stream shorter than its head is all head") {
    Pipe pipe("abc");
    StreamBytes stream(pipe.reader(), 64);
    CHECK(stream.head().size() == 3);
    CHECK(text_at(stream, 1, 100) == "bc");
  }

  TEST_CASE("patches show through reads that touch them in part") {
    PatchedBytes patched(std::make_unique<MemoryBytes>("0123456789"),
                         {Patch{2, bytes_of("ABC")}}, 8);
    CHECK(patched.size() == 8);
    CHECK(text_at(patched, 0, 100) == "01ABC567");
    CHECK(text_at(patched, 3, 2) == "BC");
    CHECK(text_at(patched, 4, 2) == "C5");
    CHECK(text_at(patched, 0, 3) == "01A");
    CHECK(text_at(patched, 9, 1).empty());
  }

  TEST_CASE("a spooled stream can be read anywhere") {
    const std::string text(300000, 'x');
    Pipe pipe("head" + text + "tail");
    StreamBytes stream(pipe.reader(), 64);
    FileBytes file(diarize::spool(stream, diarize::make_nameless_file()));
    CHECK(file.size() == 300008);
    CHECK(text_at(file, 300004, 10) == "tail");
    CHECK(text_at(file, 0, 5) == "headx");
  }
}
