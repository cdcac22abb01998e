#include "core/engine/byte_budget.h"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

TEST_SUITE("byte_budget") {
  TEST_CASE("the budget is never exceeded by several holders") {
    diarize::ByteBudget budget(100);
    std::atomic<int> held = 0;
    std::atomic<bool> exceeded = false;
    {
      std::vector<std::jthread> threads;
      for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
          for (int round = 0; round < 200; ++round) {
            const diarize::ByteShare share(budget, 40);
            if ((held += 40) > 100) exceeded = true;
            std::this_thread::yield();
            held -= 40;
          }
        });
      }
    }
    CHECK(held == 0);
    CHECK_FALSE(exceeded);
  }

  TEST_CASE("a single holder may take more than there is") {
    diarize::ByteBudget budget(10);
    {
      const diarize::ByteShare share(budget, 1000);
    }
    const diarize::ByteShare again(budget, 11);
    CHECK(true);
  }

  TEST_CASE("moving a share moves what is given back") {
    diarize::ByteBudget budget(10);
    diarize::ByteShare first(budget, 10);
    diarize::ByteShare second = std::move(first);
    second = diarize::ByteShare();
    const diarize::ByteShare third(budget, 10);  // would wait for ever
    CHECK(true);
  }
}
