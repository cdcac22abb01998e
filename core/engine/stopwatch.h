#pragma once

#include <chrono>
#include <type_traits>

namespace diarize {

// Adds up the time that some work takes. Not thread safe. Costs two looks at
// the clock a piece of work, some 50 ns.
class Stopwatch {
 public:
  // Does the work, gives its result and adds what it took; nothing where the
  // work throws.
  template <typename Work>
  decltype(auto) time(const Work& work) {
    const Clock::time_point start = Clock::now();
    if constexpr (std::is_void_v<decltype(work())>) {
      work();
      add(start);
    } else {
      decltype(auto) result = work();
      add(start);
      return result;
    }
  }

  // All of it so far.
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  using Clock = std::chrono::steady_clock;

  void add(Clock::time_point start) {
    seconds_ += std::chrono::duration<double>(Clock::now() - start).count();
  }

  double seconds_ = 0.0;
};

}  // namespace diarize
