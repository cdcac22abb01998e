// diarize-decode: decodes audio files for `diarize`, which starts it, in a
// process of its own, so that a file that makes a decoder crash, hang or eat
// memory costs nothing but itself.
//
//   diarize-decode MEMORY_LIMIT_BYTES     (0: no limit)
//
// The socket on which it is talked to is descriptor 3, see decode_protocol.h.

#include "core/error.h"
#include "io/decode_worker.h"
#include "io/sandbox.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/time.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <cstdio>
#include <optional>
#include <span>
#include <string_view>

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
// The run time of a sanitizer does what the sandbox forbids.
constexpr bool kSandboxed = false;
#else
constexpr bool kSandboxed = true;
#endif

std::optional<std::int64_t> number_of(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) {
    return std::nullopt;
  }
  return number;
}

// Ends this process if the program is gone. A signal handler.
void end_if_alone(int /*signal*/) {
  pollfd entry{diarize::kDecoderSocket, POLLRDHUP, 0};
  if (::poll(&entry, 1, 0) > 0) ::_exit(0);
}

// Looks every second whether the program is still there, also while a decoder
// hangs or a pipe rests.
void end_with_program() {
  struct sigaction action{};
  action.sa_handler = end_if_alone;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGALRM, &action, nullptr);
  const itimerval every_second{{1, 0}, {1, 0}};
  ::setitimer(ITIMER_REAL, &every_second, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  const std::span arguments(argv, static_cast<std::size_t>(argc));
  const auto limit = argc == 2 ? number_of(arguments[1]) : std::nullopt;
  if (!limit || ::fcntl(diarize::kDecoderSocket, F_GETFD) < 0) {
    std::fputs("diarize-decode is started by diarize and does nothing alone\n",
               stderr);
    return 2;
  }
  // The terminal's ^C goes to all; what is begun is for diarize to end.
  std::signal(SIGINT, SIG_IGN);
  end_with_program();
  try {
    if (*limit > 0) diarize::limit_memory(*limit);
    if (kSandboxed) diarize::enter_sandbox();
    diarize::MessageChannel channel(
        diarize::FileDescriptor{diarize::kDecoderSocket});
    diarize::serve_decoder(channel);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "diarize-decode: %s\n", error.what());
    return 3;
  }
  return 0;
}
