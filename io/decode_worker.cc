#include "io/decode_worker.h"

#include "core/error.h"
#include "io/sndfile_source.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <new>
#include <string>

namespace diarize {

namespace {

// Nobody listens any more.
struct Gone {};

void send_samples(MessageChannel& channel, std::span<const float> samples) {
  constexpr std::size_t kPiece = kMaxPayloadBytes / sizeof(float);
  while (!samples.empty()) {
    const auto piece = samples.first(std::min(kPiece, samples.size()));
    if (!channel.send(MessageKind::kSamples, std::as_bytes(piece))) {
      throw Gone{};
    }
    samples = samples.subspan(piece.size());
  }
}

// A source that says every second that it is still being read, for as long as
// nothing of what it gives is wanted: before the start asked for.
class AudibleSource final : public AudioSource {
 public:
  AudibleSource(std::unique_ptr<AudioSource> source, MessageChannel& channel)
      : source_(std::move(source)), channel_(channel) {}

  [[nodiscard]] const AudioFormat& format() const override {
    return source_->format();
  }
  [[nodiscard]] std::span<const float> read() override {
    constexpr std::chrono::seconds kInterval{1};
    if (const auto now = Clock::now(); now - last_said_ > kInterval) {
      last_said_ = now;
      if (!channel_.send(MessageKind::kSamples, {})) throw Gone{};
    }
    return source_->read();
  }
  [[nodiscard]] SourceReport report() const override {
    return source_->report();
  }

 private:
  using Clock = std::chrono::steady_clock;

  std::unique_ptr<AudioSource> source_;
  MessageChannel& channel_;
  Clock::time_point last_said_ = Clock::now();
};

DecodeReport decode_request(MessageChannel& channel, Message request) {
  if (request.kind != MessageKind::kRequest || request.files.empty()) {
    throw InputError("the decoder process was sent no request");
  }
  const DecodeOptions options = parse_options(request.payload);
  std::optional<FileDescriptor> spool_file;
  if (request.files.size() > 1) spool_file = std::move(request.files[1]);
  AudibleSource source(
      open_sndfile(std::move(request.files[0]), std::move(spool_file)),
      channel);
  return decode(source, options, [&](std::span<const float> samples) {
    send_samples(channel, samples);
  });
}

bool refuse(MessageChannel& channel, MessageKind kind, std::string reason) {
  reason.resize(std::min(reason.size(), kMaxPayloadBytes));
  return channel.send(kind, std::as_bytes(std::span(reason)));
}

// False if nobody listens any more.
bool answer(MessageChannel& channel, Message request) {
  try {
    const DecodeReport report = decode_request(channel, std::move(request));
    return channel.send(MessageKind::kReport, encode_report(report));
  } catch (const Gone&) {
    return false;
  } catch (const UnreadableError& error) {
    return refuse(channel, MessageKind::kUnreadable, error.what());
  } catch (const InputError& error) {
    return refuse(channel, MessageKind::kRefusal, error.what());
  } catch (const std::bad_alloc&) {
    return refuse(channel, MessageKind::kRefusal,
                  "needs more memory to decode than a decoder process may use");
  }
}

}  // namespace

void serve_decoder(MessageChannel& channel) {
  while (auto request = channel.receive()) {
    if (!answer(channel, std::move(*request))) return;
  }
}

}  // namespace diarize
