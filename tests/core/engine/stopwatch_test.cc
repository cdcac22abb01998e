#include "core/engine/stopwatch.h"

#include <doctest/doctest.h>

#include <chrono>
#include <stdexcept>
#include <thread>

using diarize::Stopwatch;

TEST_SUITE("stopwatch") {
  TEST_CASE("work is done and its result given") {
    Stopwatch watch;
    CHECK(watch.time([] { return 42; }) == 42);
    int count = 0;
    watch.time([&] { ++count; });
    CHECK(count == 1);
  }

  TEST_CASE("what work took is added up") {
    constexpr std::chrono::milliseconds kPause{5};
    Stopwatch watch;
    CHECK(watch.seconds() == 0.0);
    for (int i = 1; i <= 3; ++i) {
      watch.time([&] { std::this_thread::sleep_for(kPause); });
      CHECK(watch.seconds() >= 0.005 * i);
    }
  }

  TEST_CASE("work that throws adds nothing") {
    Stopwatch watch;
    CHECK_THROWS_AS(watch.time([]() -> int { throw std::runtime_error("no"); }),
                    std::runtime_error);
    CHECK(watch.seconds() == 0.0);
  }
}
