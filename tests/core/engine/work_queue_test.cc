#include "core/engine/work_queue.h"

#include <doctest/doctest.h>

#include <thread>

TEST_SUITE("work_queue") {
  TEST_CASE("a batch stays within its weight") {
    diarize::WorkQueue<int> queue;
    for (int i = 0; i < 5; ++i) REQUIRE(queue.put(i, 10));
    CHECK(queue.take(32, 1) == std::vector<int>{0, 1, 2});
    CHECK(queue.take(32, 1) == std::vector<int>{3, 4});
  }

  TEST_CASE("an item heavier than a batch is a batch of its own") {
    diarize::WorkQueue<int> queue;
    REQUIRE(queue.put(1, 100));
    REQUIRE(queue.put(2, 1));
    CHECK(queue.take(32, 1) == std::vector<int>{1});
  }

  TEST_CASE("a taker leaves the others their share") {
    diarize::WorkQueue<int> queue;
    for (int i = 0; i < 4; ++i) REQUIRE(queue.put(i, 5));
    CHECK(queue.take(32, 2) == std::vector<int>{0, 1});
  }

  TEST_CASE("closing lets go who waits and refuses what comes after") {
    diarize::WorkQueue<int> queue;
    std::vector<int> taken = {1};
    std::jthread taker([&] { taken = queue.take(1, 1); });
    queue.close();
    taker.join();
    CHECK(taken.empty());
    CHECK_FALSE(queue.put(1, 1));
  }
}
