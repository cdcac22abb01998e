#include "io/waiting.h"

#include "core/error.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace diarize {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kCheckInterval{50};

milliseconds until(Clock::time_point time) {
  return std::max(std::chrono::ceil<milliseconds>(time - Clock::now()),
                  milliseconds{0});
}

}  // namespace

void wait_for_bytes(int number, const Waiting& waiting,
                    std::string_view sender) {
  const auto begin = Clock::now();
  for (;;) {
    auto slice = kCheckInterval;
    if (waiting.timeout) slice = until(begin + *waiting.timeout);
    if (waiting.check) slice = std::min(slice, kCheckInterval);
    pollfd entry{number, POLLIN, 0};
    const int ready = ::poll(&entry, 1, static_cast<int>(slice.count()));
    if (ready > 0) return;
    if (ready < 0 && errno != EINTR) {
      throw InputError(fmt::format("{} cannot be waited for: {}", sender,
                                   std::strerror(errno)));
    }
    if (waiting.check) waiting.check();
    if (waiting.timeout && Clock::now() >= begin + *waiting.timeout) {
      throw InputError(
          fmt::format("{} gave nothing for {:g} s", sender,
                      std::chrono::duration<double>(*waiting.timeout).count()));
    }
  }
}

}  // namespace diarize
