#pragma once

#include "io/decode_protocol.h"
#include "io/file_descriptor.h"
#include "io/waiting.h"

#include <optional>
#include <utility>
#include <vector>

namespace diarize {

struct Message {
  MessageKind kind = MessageKind::kRefusal;
  std::vector<std::byte> payload;
  std::vector<FileDescriptor> files;  // handed over, now ours
};

// One end of a socket between two processes. Sending waits while the other
// end does not take what was sent: that is the back-pressure. One thread.
class MessageChannel {
 public:
  explicit MessageChannel(FileDescriptor socket) : socket_(std::move(socket)) {}

  // Two ends that are connected.
  [[nodiscard]] static std::pair<MessageChannel, MessageChannel> make_pair();

  // Descriptors in `files`, at most two, are handed over as copies. Returns
  // false if the other end is gone. payload: at most kMaxPayloadBytes.
  [[nodiscard]] bool send(MessageKind kind, std::span<const std::byte> payload,
                          std::span<const int> files = {});

  // The next message; none if the other end is gone. Throws InputError if the
  // time is up before there is something, or at something that is no message.
  [[nodiscard]] std::optional<Message> receive(const Waiting& waiting = {});

  [[nodiscard]] int number() const { return socket_.number(); }

 private:
  [[nodiscard]] bool fill(std::span<std::byte> bytes,
                          std::vector<FileDescriptor>& files,
                          const Waiting& waiting);

  FileDescriptor socket_;
};

}  // namespace diarize
