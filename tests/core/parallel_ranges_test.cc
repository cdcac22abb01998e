#include "core/parallel_ranges.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <vector>

namespace diarize::test {

TEST_SUITE("parallel_ranges") {
  TEST_CASE("every index is visited once") {
    for (const std::size_t size : {1, 7, 8, 9, 1000}) {
      std::vector<int> visits(size);
      parallel_ranges(size, 8, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) ++visits[i];
      });
      CHECK(std::ranges::all_of(visits, [](int n) { return n == 1; }));
    }
  }

  TEST_CASE("nothing is called for no index") {
    std::atomic<int> calls = 0;
    parallel_ranges(0, 8, [&](std::size_t, std::size_t) { ++calls; });
    CHECK(calls == 0);
  }
}

}  // namespace diarize::test
