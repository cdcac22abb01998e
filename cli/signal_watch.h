#pragma once

#include <atomic>
#include <csignal>
#include <thread>

namespace diarize {

// Takes SIGINT and SIGTERM, which then no longer end the process: the first is
// noted, the second ends it at once with 128 and its number, leaving hidden
// files to the next run's sweep.
//
// To be made before other threads, which inherit that they do not take these
// signals themselves. Threads may share it.
class SignalWatch {
 public:
  SignalWatch();
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  // The signal that was taken, 0 if none was.
  [[nodiscard]] int received() const { return received_; }

 private:
  void wait();

  sigset_t signals_{};
  sigset_t old_mask_{};
  std::atomic<int> received_ = 0;
  std::atomic<bool> ended_ = false;
  std::thread waiter_;
};

}  // namespace diarize
