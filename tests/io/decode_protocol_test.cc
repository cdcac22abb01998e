#include "io/decode_protocol.h"

#include "core/error.h"
#include "io/message_channel.h"
#include "io/wire.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

namespace {

using diarize::DecodeOptions;
using diarize::DecodeReport;
using diarize::encode_options;
using diarize::encode_report;
using diarize::InputError;
using diarize::MessageChannel;
using diarize::MessageKind;
using diarize::parse_options;
using diarize::parse_report;
using namespace std::chrono_literals;

DecodeReport full_report() {
  DecodeReport report;
  report.format = {44100, 2, "WAV, 16 bit"};
  report.num_samples = std::int64_t{1} << 40;
  report.seconds_read = 9.374;
  report.seconds_promised = 23.255;
  report.level.rms_dbfs = -std::numeric_limits<double>::infinity();
  report.level.peak_dbfs = -3.0;
  report.level.peak_seconds = 1.5;
  report.cancelled_channel = 2;
  report.warnings = {"ends early", "", "über"};
  report.times = {0.25, 0.5, 1.0};
  return report;
}

}  // namespace

TEST_SUITE("decode_protocol") {
  TEST_CASE("options come back as they were sent") {
    DecodeOptions options;
    options.channel = 3;
    options.resampler = diarize::ResamplerKind::kLibsamplerate;
    options.start = 1.25;
    options.duration = 0.5;
    const auto found = parse_options(encode_options(options));
    CHECK(found.channel == 3);
    CHECK(found.resampler == diarize::ResamplerKind::kLibsamplerate);
    CHECK(found.start == 1.25);
    CHECK(found.duration == 0.5);
    const auto plain = parse_options(encode_options({}));
    CHECK_FALSE(plain.channel);
    CHECK_FALSE(plain.duration);
  }

  TEST_CASE("a report comes back as it was sent") {
    const auto sent = full_report();
    const auto found = parse_report(encode_report(sent));
    CHECK(found.format.sample_rate == 44100);
    CHECK(found.format.num_channels == 2);
    CHECK(found.format.encoding == sent.format.encoding);
    CHECK(found.num_samples == sent.num_samples);
    CHECK(found.seconds_read == sent.seconds_read);
    CHECK(found.seconds_promised == sent.seconds_promised);
    CHECK(std::isinf(found.level.rms_dbfs));
    CHECK(found.level.peak_dbfs == -3.0);
    CHECK(found.level.peak_seconds == 1.5);
    CHECK(found.cancelled_channel == 2);
    CHECK(found.times.read == 0.25);
    CHECK(found.times.decode == 0.5);
    CHECK(found.times.resample == 1.0);
    CHECK(found.warnings == sent.warnings);
  }

  TEST_CASE("a time that no clock shows is an error") {
    for (const double bad : {-1.0, std::nan(""), HUGE_VAL}) {
      auto report = full_report();
      report.times.decode = bad;
      CHECK_THROWS_AS(static_cast<void>(parse_report(encode_report(report))),
                      InputError);
    }
  }

  TEST_CASE("messages cut anywhere are errors") {
    const auto report = encode_report(full_report());
    for (std::size_t size = 0; size < report.size(); ++size) {
      CHECK_THROWS_AS(
          static_cast<void>(parse_report(std::span(report).first(size))),
          InputError);
    }
    const auto options = encode_options({});
    for (std::size_t size = 0; size < options.size(); ++size) {
      CHECK_THROWS_AS(
          static_cast<void>(parse_options(std::span(options).first(size))),
          InputError);
    }
  }

  TEST_CASE("a string longer than its message is an error") {
    for (const std::int64_t size : {std::int64_t{-1}, std::int64_t{1} << 62}) {
      diarize::WireWriter writer;
      writer.put(size);
      diarize::WireReader reader(writer.bytes());
      CHECK_THROWS_AS(static_cast<void>(reader.get_string()), InputError);
    }
  }
}

TEST_SUITE("message_channel") {
  TEST_CASE("messages arrive whole and in order") {
    auto [left, right] = MessageChannel::make_pair();
    const std::vector<std::byte> large(diarize::kMaxPayloadBytes, std::byte{7});
    std::thread sender([&channel = left, &large] {
      CHECK(channel.send(MessageKind::kSamples, large));
      CHECK(channel.send(MessageKind::kReport, {}));
    });
    const auto first = right.receive({10s, {}});
    const auto second = right.receive({10s, {}});
    sender.join();
    REQUIRE(first);
    CHECK(first->kind == MessageKind::kSamples);
    CHECK(first->payload == large);
    REQUIRE(second);
    CHECK(second->kind == MessageKind::kReport);
    CHECK(second->payload.empty());
  }

  TEST_CASE("a descriptor is handed over as a copy") {
    const diarize::test::TemporaryFolder folder;
    auto [left, right] = MessageChannel::make_pair();
    {
      const auto file = diarize::open_audio_file(folder.write("a", "hello"));
      const std::array<int, 1> files = {file.number()};
      REQUIRE(left.send(MessageKind::kRequest, {}, files));
    }
    const auto message = right.receive({10s, {}});
    REQUIRE(message);
    REQUIRE(message->files.size() == 1);
    std::array<char, 5> text{};
    CHECK(::read(message->files[0].number(), text.data(), text.size()) == 5);
    CHECK(std::string(text.data(), 5) == "hello");
  }

  TEST_CASE("the other end gone is no message and no signal") {
    auto [left, right] = MessageChannel::make_pair();
    {
      const MessageChannel gone = std::move(right);
    }
    CHECK_FALSE(left.receive({10s, {}}));
    CHECK_FALSE(left.send(MessageKind::kReport, {}));
  }

  TEST_CASE("nothing for too long is an error") {
    auto [left, right] = MessageChannel::make_pair();
    CHECK_THROWS_WITH_AS(static_cast<void>(right.receive({20ms, {}})),
                         "the decoder gave nothing for 0.02 s", InputError);
  }

  TEST_CASE("bytes that are no message are an error") {
    for (const auto& [kind, size] :
         {std::pair{0U, 0U}, std::pair{6U, 0U}, std::pair{2U, 0xFFFFFFFFU}}) {
      auto [left, right] = MessageChannel::make_pair();
      const std::array<std::uint32_t, 2> header = {kind, size};
      REQUIRE(::send(left.number(), header.data(), sizeof header, 0) == 8);
      CHECK_THROWS_AS(static_cast<void>(right.receive({10s, {}})), InputError);
    }
  }
}
