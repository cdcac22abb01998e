#include "io/message_channel.h"

#include "core/error.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace diarize {

namespace {

constexpr std::size_t kMaxFiles = 2;

struct Header {
  std::uint32_t kind;
  std::uint32_t size;
};

// Room for the descriptors of one message.
struct alignas(cmsghdr) FileBuffer {
  std::array<std::byte, CMSG_SPACE(kMaxFiles * sizeof(int))> bytes{};
};

void attach(msghdr& message, FileBuffer& buffer, std::span<const int> files) {
  if (files.empty()) return;
  message.msg_control = buffer.bytes.data();
  message.msg_controllen = CMSG_SPACE(files.size_bytes());
  cmsghdr* control = CMSG_FIRSTHDR(&message);
  if (control == nullptr) return;
  control->cmsg_level = SOL_SOCKET;
  control->cmsg_type = SCM_RIGHTS;
  control->cmsg_len = CMSG_LEN(files.size_bytes());
  std::memcpy(CMSG_DATA(control), files.data(), files.size_bytes());
}

void detach(msghdr& message, std::vector<FileDescriptor>& files) {
  for (cmsghdr* control = CMSG_FIRSTHDR(&message); control != nullptr;
       control = CMSG_NXTHDR(&message, control)) {
    if (control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_RIGHTS) {
      continue;
    }
    const std::size_t count = (control->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t index = 0; index < count; ++index) {
      int number = -1;
      std::memcpy(&number, CMSG_DATA(control) + index * sizeof(int),
                  sizeof number);
      files.emplace_back(number);
    }
  }
}

// Sends all bytes, the descriptors with the first of them.
bool send_all(int socket, std::span<const std::byte> bytes,
              std::span<const int> files) {
  FileBuffer buffer;
  while (!bytes.empty()) {
    iovec part{const_cast<std::byte*>(bytes.data()), bytes.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    attach(message, buffer, files);
    const ssize_t count = ::sendmsg(socket, &message, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    files = {};
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace

std::pair<MessageChannel, MessageChannel> MessageChannel::make_pair() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw FatalError(
        fmt::format("no socket for a decoder: {}", std::strerror(errno)));
  }
  return {MessageChannel(FileDescriptor(ends[0])),
          MessageChannel(FileDescriptor(ends[1]))};
}

bool MessageChannel::send(MessageKind kind, std::span<const std::byte> payload,
                          std::span<const int> files) {
  if (payload.size() > kMaxPayloadBytes || files.size() > kMaxFiles) {
    throw std::logic_error("MessageChannel: a message too large");
  }
  const Header header{static_cast<std::uint32_t>(kind),
                      static_cast<std::uint32_t>(payload.size())};
  return send_all(number(), std::as_bytes(std::span(&header, 1)), files) &&
         send_all(number(), payload, {});
}

bool MessageChannel::fill(std::span<std::byte> bytes,
                          std::vector<FileDescriptor>& files,
                          const Waiting& waiting) {
  FileBuffer buffer;
  while (!bytes.empty()) {
    if (!waiting.is_endless()) {
      wait_for_bytes(number(), waiting, "the decoder");
    }
    iovec part{bytes.data(), bytes.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = buffer.bytes.data();
    message.msg_controllen = buffer.bytes.size();
    const ssize_t count = ::recvmsg(number(), &message, MSG_CMSG_CLOEXEC);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    detach(message, files);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

std::optional<Message> MessageChannel::receive(const Waiting& waiting) {
  Message message;
  Header header{};
  if (!fill(std::as_writable_bytes(std::span(&header, 1)), message.files,
            waiting)) {
    return std::nullopt;
  }
  if (header.size > kMaxPayloadBytes ||
      header.kind < static_cast<std::uint32_t>(MessageKind::kRequest) ||
      header.kind > static_cast<std::uint32_t>(MessageKind::kUnreadable)) {
    throw InputError("the decoder process sent something that is no message");
  }
  message.kind = static_cast<MessageKind>(header.kind);
  message.payload.resize(header.size);
  if (!fill(message.payload, message.files, waiting)) return std::nullopt;
  return message;
}

}  // namespace diarize
