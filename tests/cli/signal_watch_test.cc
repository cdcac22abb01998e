#include "cli/signal_watch.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

using diarize::SignalWatch;

namespace {

// Waits up to ten seconds for the signal to be noted.
int received_by(const SignalWatch& watch) {
  for (int i = 0; i < 1000 && watch.received() == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return watch.received();
}

// How a process ends that watches and is sent `count` signals.
int status_after(int signal, int count) {
  const pid_t child = ::fork();
  if (child == 0) {
    const SignalWatch watch;
    for (int i = 0; i < count; ++i) {
      ::kill(::getpid(), signal);
      received_by(watch);
    }
    if (count > 1) std::this_thread::sleep_for(std::chrono::seconds(10));
    std::_Exit(watch.received());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace

TEST_SUITE("signal watch") {
  TEST_CASE("nothing is received unless it is sent") {
    const SignalWatch watch;
    CHECK(watch.received() == 0);
  }

  TEST_CASE("the first signal is noted") {
    CHECK(status_after(SIGINT, 1) == SIGINT);
    CHECK(status_after(SIGTERM, 1) == SIGTERM);
  }

  TEST_CASE("the second signal ends the process at once") {
    CHECK(status_after(SIGINT, 2) == 130);
    CHECK(status_after(SIGTERM, 2) == 143);
  }
}
