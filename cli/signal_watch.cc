#include "cli/signal_watch.h"

#include <pthread.h>
#include <unistd.h>

namespace diarize {

SignalWatch::SignalWatch() {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGINT);
  sigaddset(&signals_, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals_, &old_mask_);
  waiter_ = std::thread([this] { wait(); });
}

SignalWatch::~SignalWatch() {
  ended_ = true;
  // Wakes it up: the signal is blocked everywhere and only waited for.
  // NOLINTNEXTLINE(bugprone-bad-signal-to-kill-thread)
  pthread_kill(waiter_.native_handle(), SIGTERM);
  waiter_.join();
  pthread_sigmask(SIG_SETMASK, &old_mask_, nullptr);
}

void SignalWatch::wait() {
  while (true) {
    int signal = 0;
    if (sigwait(&signals_, &signal) != 0) continue;
    if (ended_) return;
    if (received_ != 0) ::_exit(128 + signal);
    received_ = signal;
  }
}

}  // namespace diarize
