#include "core/clustering/min_heap.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace diarize::test {

TEST_SUITE("min_heap") {
  TEST_CASE("keys come out in the order of their values") {
    MinHeap heap({3.0, 1.0, 2.0, 5.0, 4.0});
    std::vector<std::int32_t> keys;
    for (int i = 0; i < 4; ++i) {
      keys.push_back(heap.top());
      heap.remove_top();
    }
    keys.push_back(heap.top());
    CHECK(keys == std::vector<std::int32_t>{1, 2, 0, 4, 3});
  }

  TEST_CASE("equal values come out in the order of scipy") {
    // The last entry takes the place of the top and stays there.
    MinHeap heap({0.0, 0.0, 0.0, 0.0});
    std::vector<std::int32_t> keys;
    for (int i = 0; i < 3; ++i) {
      keys.push_back(heap.top());
      heap.remove_top();
    }
    keys.push_back(heap.top());
    CHECK(keys == std::vector<std::int32_t>{0, 3, 2, 1});
  }

  TEST_CASE("the top is the least after any change") {
    std::mt19937 random(3);
    std::vector<double> values(50);
    for (double& value : values) value = random() % 20;
    MinHeap heap(values);
    for (int step = 0; step < 500; ++step) {
      const auto key = static_cast<std::int32_t>(random() % 50);
      values[key] = random() % 20;
      heap.change(key, values[key]);
      CHECK(heap.value(key) == values[key]);
      CHECK(values[heap.top()] == *std::ranges::min_element(values));
    }
  }
}

}  // namespace diarize::test
