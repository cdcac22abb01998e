#include "core/hungarian.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

using diarize::Array;
using diarize::best_assignment;
using diarize::kUnassigned;
using Columns = std::vector<std::int32_t>;

namespace {

double gain_of(const Array<double, 2>& gains, const Columns& columns) {
  double sum = 0.0;
  for (std::size_t row = 0; row < columns.size(); ++row) {
    if (columns[row] != kUnassigned) sum += gains(row, columns[row]);
  }
  return sum;
}

// The best sum by trying every order of the columns; rows <= columns.
double best_by_enumeration(const Array<double, 2>& gains) {
  Columns order(gains.size(1));
  std::iota(order.begin(), order.end(), 0);
  double best = -std::numeric_limits<double>::infinity();
  do {
    best = std::max(
        best,
        gain_of(gains, Columns(order.begin(), order.begin() + gains.size(0))));
  } while (std::ranges::next_permutation(order).found);
  return best;
}

Array<double, 2> random_gains(std::mt19937& random, std::size_t rows,
                              std::size_t columns) {
  Array<double, 2> gains({rows, columns});
  for (double& gain : gains.values()) {
    gain = static_cast<double>(random() % 41) - 20.0;
  }
  return gains;
}

Array<double, 2> transposed(const Array<double, 2>& gains) {
  Array<double, 2> result({gains.size(1), gains.size(0)});
  for (std::size_t row = 0; row < gains.size(0); ++row) {
    for (std::size_t column = 0; column < gains.size(1); ++column) {
      result(column, row) = gains(row, column);
    }
  }
  return result;
}

}  // namespace

TEST_SUITE("hungarian") {
  TEST_CASE("the best sum wins over the best single gain") {
    const Array<double, 2> gains({2, 2}, {10, 9, 9, 1});
    CHECK(best_assignment(gains) == Columns{1, 0});
  }

  TEST_CASE("every small matrix gets the best sum") {
    std::mt19937 random(7);
    for (int round = 0; round < 300; ++round) {
      const std::size_t columns = 1 + random() % 6;
      const std::size_t rows = 1 + random() % columns;
      const auto gains = random_gains(random, rows, columns);
      const double best = best_by_enumeration(gains);
      CHECK(gain_of(gains, best_assignment(gains)) == best);
      const auto tall = transposed(gains);
      CHECK(gain_of(tall, best_assignment(tall)) == best);
    }
  }

  TEST_CASE("no column is given twice and none is left that could be given") {
    std::mt19937 random(8);
    for (const auto& [rows, columns] :
         {std::pair<std::size_t, std::size_t>{30, 40}, {40, 30}, {25, 25}}) {
      auto given = best_assignment(random_gains(random, rows, columns));
      REQUIRE(given.size() == rows);
      std::erase(given, kUnassigned);
      CHECK(given.size() == std::min(rows, columns));
      std::ranges::sort(given);
      CHECK(std::ranges::adjacent_find(given) == given.end());
      CHECK(given.back() < static_cast<std::int32_t>(columns));
    }
  }

  TEST_CASE("equal gains keep the order as in scipy") {
    CHECK(best_assignment(Array<double, 2>({3, 3}, 1.0)) == Columns{0, 1, 2});
    CHECK(best_assignment(Array<double, 2>({2, 4}, 0.0)) == Columns{0, 1});
    CHECK(best_assignment(Array<double, 2>({4, 2}, 0.0)) ==
          Columns{0, 1, kUnassigned, kUnassigned});
  }

  TEST_CASE("one side without entries leaves all rows without a column") {
    CHECK(best_assignment(Array<double, 2>({0, 3})).empty());
    CHECK(best_assignment(Array<double, 2>({2, 0})) ==
          Columns{kUnassigned, kUnassigned});
  }

  TEST_CASE("a gain that is not finite is refused") {
    const double infinity = std::numeric_limits<double>::infinity();
    CHECK_THROWS_AS(
        (void)best_assignment(Array<double, 2>({1, 2}, {1.0, -infinity})),
        std::logic_error);
  }
}
