#include "core/clustering/neighbours.h"

#include "core/clustering/product_tile.h"

#include <algorithm>
#include <array>
#include <limits>

namespace diarize {
namespace {

constexpr std::size_t kPanelsAtOnce = 8;  // that stay in the second-level cache

// The largest products of each vector so far, unsorted.
class TopLists {
 public:
  // The vectors that fill up the last panel take no neighbours.
  TopLists(std::size_t num_vectors, std::size_t num_padded, std::size_t most,
           double least)
      : most_(most),
        limits_(num_padded, std::numeric_limits<float>::infinity()),
        lists_(num_vectors) {
    std::fill_n(limits_.begin(), num_vectors,
                static_cast<float>(least - 2.0 * kTileError));
  }

  // What a product must be above to be taken, by vector.
  [[nodiscard]] const float* limits() const { return limits_.data(); }

  void offer(std::size_t vector, std::size_t other, float product) {
    if (product <= limits_[vector]) return;
    std::vector<Entry>& list = lists_[vector];
    const Entry entry{product, static_cast<std::int32_t>(other)};
    if (list.size() < most_) {
      list.push_back(entry);
      if (list.size() < most_) return;
    } else {
      *std::ranges::min_element(list, {}, &Entry::product) = entry;
    }
    limits_[vector] =
        std::ranges::min_element(list, {}, &Entry::product)->product;
  }

  [[nodiscard]] std::vector<Neighbours> take() {
    std::vector<Neighbours> result(lists_.size());
    for (std::size_t vector = 0; vector < lists_.size(); ++vector) {
      result[vector].bound = limits_[vector] + kTileError;
      for (const Entry& entry : lists_[vector]) {
        result[vector].indices.push_back(entry.index);
      }
      lists_[vector] = {};
    }
    return result;
  }

 private:
  struct Entry {
    float product = 0.0F;
    std::int32_t index = 0;
  };

  std::size_t most_;
  std::vector<float> limits_;
  std::vector<std::vector<Entry>> lists_;
};

using Products = std::array<float, kTileRows * kTileColumns>;

bool has(std::uint32_t rows, std::size_t row) {
  return (rows >> row & 1U) != 0;
}

// Offers the products of kTileRows vectors with those after them in a panel.
void search_tile(const PackedVectors& vectors, std::size_t first_row,
                 std::size_t panel, TopLists& lists) {
  Products products;
  const std::size_t first_column = panel * kTileColumns;
  const std::uint32_t rows =
      multiply_tile(vectors.vector(first_row), vectors.panel(panel),
                    vectors.dimension(), lists.limits() + first_row,
                    lists.limits() + first_column, products.data());
  for (std::size_t row = 0; rows != 0 && row < kTileRows; ++row) {
    if (!has(rows, row)) continue;
    for (std::size_t c = 0; c < kTileColumns; ++c) {
      const std::size_t column = first_column + c;
      if (column <= first_row + row) continue;
      const float product = products[row * kTileColumns + c];
      lists.offer(first_row + row, column, product);
      lists.offer(column, first_row + row, product);
    }
  }
}

}  // namespace

std::vector<Neighbours> find_neighbours(const PackedVectors& vectors,
                                        std::size_t num_vectors,
                                        std::size_t most, double least) {
  const std::size_t num_panels = vectors.num_panels();
  TopLists lists(num_vectors, vectors.num_places(), most, least);
  for (std::size_t begin = 0; begin < num_panels; begin += kPanelsAtOnce) {
    const std::size_t end = std::min(begin + kPanelsAtOnce, num_panels);
    // Vectors near in time come first: they are alike and raise the limits.
    for (std::size_t rows_end = end * kTileColumns; rows_end > 0;
         rows_end -= kTileRows) {
      const std::size_t first_row = rows_end - kTileRows;
      for (std::size_t panel = std::max(begin, first_row / kTileColumns);
           panel < end; ++panel) {
        search_tile(vectors, first_row, panel, lists);
      }
    }
  }
  return lists.take();
}

std::vector<Neighbours> find_neighbours_of(const PackedVectors& queries,
                                           std::size_t num_queries,
                                           const PackedVectors& vectors,
                                           std::size_t most, double least) {
  std::array<float, kTileColumns> no_limits;
  no_limits.fill(std::numeric_limits<float>::infinity());
  TopLists lists(num_queries, queries.num_places(), most, least);
  Products products;
  for (std::size_t panel = 0; panel < vectors.num_panels(); ++panel) {
    for (std::size_t first = 0; first < num_queries; first += kTileRows) {
      const std::uint32_t rows = multiply_tile(
          queries.vector(first), vectors.panel(panel), vectors.dimension(),
          lists.limits() + first, no_limits.data(), products.data());
      for (std::size_t row = 0; rows != 0 && row < kTileRows; ++row) {
        if (!has(rows, row)) continue;
        for (std::size_t c = 0; c < kTileColumns; ++c) {
          lists.offer(first + row, panel * kTileColumns + c,
                      products[row * kTileColumns + c]);
        }
      }
    }
  }
  return lists.take();
}

}  // namespace diarize
