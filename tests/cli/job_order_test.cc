#include "cli/job_order.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using diarize::JobOrder;

namespace {

using Order = std::vector<std::size_t>;

Order taken_of(JobOrder order) {
  Order taken;
  while (const auto job = order.take()) taken.push_back(*job);
  return taken;
}

Order order_of(const std::vector<double>& seconds, int num_parallel) {
  JobOrder order(seconds.size(), num_parallel);
  order.set_lengths(seconds);
  return taken_of(order);
}

// When the last of so many workers ends, each taking the next job when free.
double makespan(const std::vector<double>& seconds, int num_parallel,
                const Order& order) {
  std::vector<double> busy(static_cast<std::size_t>(num_parallel), 0.0);
  for (const std::size_t job : order) {
    *std::ranges::min_element(busy) += seconds[job];
  }
  return std::ranges::max(busy);
}

}  // namespace

TEST_SUITE("job order") {
  TEST_CASE("jobs of unknown length keep their order") {
    CHECK(taken_of(JobOrder(4, 2)) == Order{0, 1, 2, 3});
    CHECK(taken_of(JobOrder(0, 2)).empty());
  }

  TEST_CASE("jobs of one length keep their order") {
    CHECK(order_of({5, 5, 5, 5, 5}, 2) == Order{0, 1, 2, 3, 4});
    CHECK(order_of({0, 0, 0}, 2) == Order{0, 1, 2});
  }

  TEST_CASE("a long job is started while others can fill its time") {
    // Nine short ones and a long one at the end, two at once.
    const Order order = order_of({1, 1, 1, 1, 1, 1, 1, 1, 1, 3}, 2);
    CHECK(order == Order{0, 1, 2, 9, 3, 4, 5, 6, 7, 8});
  }

  TEST_CASE("a long job leaves nobody idle wherever it is") {
    std::vector<double> seconds(60, 3.0);
    for (std::size_t place = 0; place < seconds.size(); ++place) {
      std::vector<double> mixed = seconds;
      mixed[place] = 60.0;
      for (const int num_parallel : {1, 2, 4}) {
        const double sum = 3.0 * 59 + 60.0;
        const double found =
            makespan(mixed, num_parallel, order_of(mixed, num_parallel));
        // No more than one short job from the least there can be.
        CHECK(found <= std::max(sum / num_parallel, 60.0) + 3.0);
      }
    }
  }

  TEST_CASE("every job is taken once whenever the lengths come") {
    const std::vector<double> seconds{2, 9, 1, 7, 7, 0, 3};
    for (std::size_t known = 0; known <= seconds.size(); ++known) {
      JobOrder order(seconds.size(), 2);
      Order taken;
      for (std::size_t i = 0; i < seconds.size(); ++i) {
        if (i == known) order.set_lengths(seconds);
        taken.push_back(i % 3 == 2 ? *order.take_first() : *order.take());
        CHECK(order.is_taken(taken.back()));
        CHECK(order.num_left() == seconds.size() - taken.size());
      }
      CHECK_FALSE(order.take());
      CHECK_FALSE(order.take_first());
      std::ranges::sort(taken);
      CHECK(taken == Order{0, 1, 2, 3, 4, 5, 6});
    }
  }
}
