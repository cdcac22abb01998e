#include "core/error.h"
#include "io/decode_worker.h"
#include "io/message_channel.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/memory_file.h"

#include <sys/socket.h>

namespace {

using diarize::MessageChannel;
using diarize::MessageKind;

// More does not fit into a socket that nobody reads yet.
constexpr std::size_t kMaxBytes = 1 << 14;

void send(const MessageChannel& channel, std::span<const std::byte> bytes) {
  static_cast<void>(
      ::send(channel.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL));
}

// As the program hears a decoder process.
void answers(std::span<const std::byte> input) {
  auto [ours, theirs] = MessageChannel::make_pair();
  send(theirs, input);
  ::shutdown(theirs.number(), SHUT_WR);
  while (const auto message = ours.receive()) {
    if (message->kind != MessageKind::kReport) continue;
    static_cast<void>(diarize::parse_report(message->payload));
  }
}

// As a decoder process hears the program: a request for a file, whatever its
// options, then anything.
void requests(std::span<const std::byte> input) {
  const auto bytes = std::as_bytes(std::span("not audio"));
  const diarize::test::MemoryFile file(bytes);
  const int number = file.number();
  auto [ours, theirs] = MessageChannel::make_pair();
  static_cast<void>(ours.send(MessageKind::kRequest, input, {&number, 1}));
  send(ours, input);
  ::shutdown(ours.number(), SHUT_WR);
  diarize::serve_decoder(theirs);
}

}  // namespace

// Both directions of what the program and a decoder process say.
void diarize::test::fuzz(std::span<const std::byte> input) {
  if (input.size() > kMaxBytes) return;
  try {
    static_cast<void>(parse_report(input));
  } catch (const Error&) {
    // The framed bytes are another matter.
  }
  try {
    answers(input);
  } catch (const Error&) {
    // So is the other direction.
  }
  requests(input);
}
