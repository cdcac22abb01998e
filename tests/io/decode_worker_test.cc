#include "io/decode_worker.h"

#include "core/error.h"
#include "io/child_process.h"
#include "tests/io/make_audio.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <string>
#include <thread>

namespace {

using diarize::DecodeOptions;
using diarize::FileDescriptor;
using diarize::MessageChannel;
using diarize::MessageKind;
using diarize::test::ramp;
using diarize::test::wav_bytes;
using namespace std::chrono_literals;

// Both ends of a pipe that nothing was written into.
std::pair<FileDescriptor, FileDescriptor> make_pipe() {
  std::array<int, 2> ends{};
  REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

void write_text(const FileDescriptor& writer, const std::string& text) {
  REQUIRE(::write(writer.number(), text.data(), text.size()) ==
          std::ssize(text));
}

bool request(MessageChannel& channel, const FileDescriptor& file,
             const DecodeOptions& options) {
  const int number = file.number();
  return channel.send(MessageKind::kRequest, diarize::encode_options(options),
                      {&number, 1});
}

}  // namespace

TEST_SUITE("decode_worker") {
  TEST_CASE("a file of which nothing is wanted yet gives signs of life") {
    auto [ours, theirs] = MessageChannel::make_pair();
    std::thread worker(
        [&channel = theirs] { diarize::serve_decoder(channel); });
    auto [reader, writer] = make_pipe();
    DecodeOptions late;
    late.start = 100.0;
    REQUIRE(request(ours, reader, late));
    // More than is kept of its head, and then more than a block.
    write_text(writer, wav_bytes(ramp(32767), 0, 0) + std::string(9000, '\0'));
    std::this_thread::sleep_for(1100ms);
    write_text(writer, std::string(100000, '\0'));
    {
      const FileDescriptor ended = std::move(writer);
    }
    const auto sign = ours.receive();
    REQUIRE(sign);
    CHECK(sign->kind == MessageKind::kSamples);
    CHECK(sign->payload.empty());
    const auto refusal = ours.receive();
    REQUIRE(refusal);
    CHECK(refusal->kind == MessageKind::kRefusal);
    {
      const MessageChannel gone = std::move(ours);
    }
    worker.join();
  }

  TEST_CASE("a process whose program is gone ends while a pipe rests") {
    auto [ours, theirs] = MessageChannel::make_pair();
    const diarize::ChildProcess process(
        DIARIZE_DECODE_PROGRAM, {"0"},
        {{theirs.number(), diarize::kDecoderSocket}});
    {
      const MessageChannel theirs_only = std::move(theirs);
    }
    const auto [reader, writer] = make_pipe();
    REQUIRE(request(ours, reader, {}));
    write_text(writer, "RIFF");
    {
      const MessageChannel gone = std::move(ours);
    }
    siginfo_t info{};
    const auto id = static_cast<id_t>(process.pid());
    REQUIRE(::waitid(P_PID, id, &info, WEXITED | WNOWAIT) == 0);
    CHECK(info.si_code == CLD_EXITED);
    CHECK(info.si_status == 0);
  }

  TEST_CASE("the program does nothing alone") {
    diarize::ChildProcess bare(DIARIZE_DECODE_PROGRAM, {}, {});
    CHECK(bare.end() == "ended with status 2");
    diarize::ChildProcess deaf(DIARIZE_DECODE_PROGRAM, {"0"}, {});
    CHECK(deaf.end() == "ended with status 2");
  }
}
