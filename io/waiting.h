#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string_view>

namespace diarize {

// How to wait for bytes that somebody else has to send.
struct Waiting {
  // Longest rest before the sender is given up; none waits for ever.
  std::optional<std::chrono::milliseconds> timeout;
  // Called many times a second meanwhile; throws to wait no longer. May be
  // empty.
  std::function<void()> check;

  [[nodiscard]] bool is_endless() const { return !timeout && !check; }

  // The same for who may rest as long as they like.
  [[nodiscard]] Waiting without_timeout() const { return {{}, check}; }
};

// Waits until there is something to read from a pipe or socket, its end
// included. Throws InputError when the time is up, saying that `sender` gave
// nothing, and what `check` throws.
void wait_for_bytes(int number, const Waiting& waiting,
                    std::string_view sender);

}  // namespace diarize
