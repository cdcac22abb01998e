#include "core/hungarian.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace diarize {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The costs of at most as many rows as columns, and the assignment so far.
class Assignment {
 public:
  explicit Assignment(Array<double, 2> costs)
      : costs_(std::move(costs)),
        num_columns_(static_cast<std::int32_t>(costs_.size(1))),
        row_dual_(costs_.size(0), 0.0),
        column_dual_(costs_.size(1), 0.0),
        column_of_(costs_.size(0), kUnassigned),
        row_of_(costs_.size(1), kUnassigned) {}

  [[nodiscard]] std::vector<std::int32_t> solve() && {
    for (std::size_t row = 0; row < costs_.size(0); ++row) {
      add_row(static_cast<std::int32_t>(row));
    }
    return std::move(column_of_);
  }

 private:
  // The cheapest ways found from the new row to the columns.
  struct Search {
    explicit Search(std::int32_t num_columns)
        : cost(num_columns, kInfinity),
          previous_row(num_columns, kUnassigned),
          open(num_columns) {
      // From the last to the first: constant costs give the identity.
      std::iota(open.rbegin(), open.rend(), 0);
    }

    std::vector<double> cost;                // (num_columns)
    std::vector<std::int32_t> previous_row;  // (num_columns)
    std::vector<std::int32_t> open;          // columns not settled yet
    std::vector<std::int32_t> rows;          // settled, in order
    std::vector<std::int32_t> columns;       // settled, in order
  };

  void add_row(std::int32_t new_row) {
    Search search(num_columns_);
    std::int32_t row = new_row;
    double cost = 0.0;
    while (row != kUnassigned) {
      search.rows.push_back(row);
      const std::int32_t column = settle_column(search, row, cost);
      cost = search.cost[column];
      row = row_of_[column];
    }
    update_duals(search, new_row, cost);
    reassign(search, new_row);
  }

  // Looks from `row`, which is reached at `cost`, and settles the open column
  // that is cheapest to reach; of equals the last that is free, else the first.
  std::int32_t settle_column(Search& search, std::int32_t row,
                             double cost) const {
    double lowest = kInfinity;
    auto best = search.open.begin();
    for (auto place = search.open.begin(); place != search.open.end();
         ++place) {
      const std::int32_t column = *place;
      const double reached =
          cost + costs_(row, column) - row_dual_[row] - column_dual_[column];
      if (reached < search.cost[column]) {
        search.cost[column] = reached;
        search.previous_row[column] = row;
      }
      const double known = search.cost[column];
      if (known < lowest ||
          (known == lowest && row_of_[column] == kUnassigned)) {
        lowest = known;
        best = place;
      }
    }
    const std::int32_t column = *best;
    *best = search.open.back();
    search.open.pop_back();
    search.columns.push_back(column);
    return column;
  }

  void update_duals(const Search& search, std::int32_t new_row, double cost) {
    for (const std::int32_t row : search.rows) {
      row_dual_[row] +=
          row == new_row ? cost : cost - search.cost[column_of_[row]];
    }
    for (const std::int32_t column : search.columns) {
      column_dual_[column] -= cost - search.cost[column];
    }
  }

  // Gives each row on the way to the last settled column the next column.
  void reassign(const Search& search, std::int32_t new_row) {
    std::int32_t column = search.columns.back();
    std::int32_t row = kUnassigned;
    while (row != new_row) {
      row = search.previous_row[column];
      row_of_[column] = row;
      std::swap(column_of_[row], column);
    }
  }

  Array<double, 2> costs_;
  std::int32_t num_columns_;
  std::vector<double> row_dual_;
  std::vector<double> column_dual_;
  std::vector<std::int32_t> column_of_;  // (num_rows)
  std::vector<std::int32_t> row_of_;     // (num_columns)
};

}  // namespace

std::vector<std::int32_t> best_assignment(const Array<double, 2>& gains) {
  const std::size_t num_rows = gains.size(0);
  const std::size_t num_columns = gains.size(1);
  if (!std::ranges::all_of(gains.values(),
                           [](double gain) { return std::isfinite(gain); })) {
    throw std::logic_error("best_assignment: a gain is not finite");
  }
  const bool is_tall = num_rows > num_columns;
  Array<double, 2> costs(
      {std::min(num_rows, num_columns), std::max(num_rows, num_columns)});
  for (std::size_t row = 0; row < num_rows; ++row) {
    for (std::size_t column = 0; column < num_columns; ++column) {
      (is_tall ? costs(column, row) : costs(row, column)) = -gains(row, column);
    }
  }
  std::vector<std::int32_t> columns = Assignment(std::move(costs)).solve();
  if (!is_tall) return columns;

  std::vector<std::int32_t> result(num_rows, kUnassigned);
  for (std::size_t column = 0; column < num_columns; ++column) {
    result[columns[column]] = static_cast<std::int32_t>(column);
  }
  return result;
}

}  // namespace diarize
