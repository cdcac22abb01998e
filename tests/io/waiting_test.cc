#include "io/waiting.h"

#include "core/error.h"
#include "io/file_descriptor.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

namespace {

using diarize::FileDescriptor;
using diarize::wait_for_bytes;
using diarize::Waiting;
using namespace std::chrono_literals;

struct Ends {
  FileDescriptor reader;
  FileDescriptor writer;
};

Ends make_pipe() {
  std::array<int, 2> ends{};
  REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

}  // namespace

TEST_SUITE("waiting") {
  TEST_CASE("bytes and the end are there without waiting") {
    Ends pipe = make_pipe();
    const Waiting impatient{0ms, {}};
    REQUIRE(::write(pipe.writer.number(), "x", 1) == 1);
    CHECK_NOTHROW(wait_for_bytes(pipe.reader.number(), impatient, "nobody"));
    char byte = 0;
    REQUIRE(::read(pipe.reader.number(), &byte, 1) == 1);
    CHECK_THROWS(wait_for_bytes(pipe.reader.number(), impatient, "nobody"));
    {
      const FileDescriptor gone = std::move(pipe.writer);
    }
    CHECK_NOTHROW(wait_for_bytes(pipe.reader.number(), impatient, "nobody"));
  }

  TEST_CASE("a sender that gives nothing is named with the time") {
    const Ends pipe = make_pipe();
    CHECK_THROWS_WITH_AS(
        wait_for_bytes(pipe.reader.number(), {20ms, {}}, "the sender"),
        "the sender gave nothing for 0.02 s", diarize::InputError);
  }

  TEST_CASE("the check is asked again and again and ends the wait") {
    const Ends pipe = make_pipe();
    int num_checks = 0;
    const Waiting endless{{}, [&] {
                            if (++num_checks == 3) {
                              throw std::runtime_error("enough");
                            }
                          }};
    CHECK_FALSE(endless.is_endless());
    CHECK_THROWS_WITH_AS(
        wait_for_bytes(pipe.reader.number(), endless, "nobody"), "enough",
        std::runtime_error);
    CHECK(num_checks == 3);
  }

  TEST_CASE("who may rest for ever keeps the check") {
    const Waiting waiting{1ms, [] {}};
    CHECK_FALSE(waiting.without_timeout().timeout);
    CHECK(waiting.without_timeout().check);
    CHECK(Waiting{}.is_endless());
  }
}
