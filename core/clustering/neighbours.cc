#include "core/clustering/neighbours.h"

#include "core/clustering/product_tile.h"
#include "core/parallel_ranges.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <utility>

namespace diarize {
namespace {

constexpr std::size_t kPanelsAtOnce = 8;  // that stay in the second-level cache
constexpr std::size_t kNumGroups = 16;    // a power of two
constexpr std::size_t kLeastPanels = 64;  // that are worth threads
constexpr std::size_t kSearchPanels = 128;  // of one range of a search
constexpr std::size_t kMostQueries = 21 * kTileColumns;  // with lists by range

// The largest products of each vector so far, unsorted. Threads may offer to
// different vectors at the same time.
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

  [[nodiscard]] std::size_t size() const { return lists_.size(); }

  // What a product must be above to be taken, by vector.
  [[nodiscard]] const float* limits() const { return limits_.data(); }

  void offer(std::size_t vector, std::size_t other, float product) {
    if (!(product > limits_[vector])) return;
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

  // Offers all that other lists of the same vectors hold. What these left out
  // is not above their limits, and the limits here are not below those after.
  void offer(const TopLists& others) {
    for (std::size_t vector = 0; vector < lists_.size(); ++vector) {
      for (const Entry& entry : others.lists_[vector]) {
        offer(vector, entry.index, entry.product);
      }
    }
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

// Panels that follow each other.
struct Panels {
  std::size_t begin = 0;
  std::size_t end = 0;
};

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
      if (column <= first_row + row || column >= lists.size()) continue;
      const float product = products[row * kTileColumns + c];
      lists.offer(first_row + row, column, product);
      lists.offer(column, first_row + row, product);
    }
  }
}

// Offers the products of the vectors of some panels with those of others that
// are the same or come after them.
void search_panels(const PackedVectors& vectors, const Panels& rows,
                   const Panels& columns, TopLists& lists) {
  for (std::size_t begin = rows.begin; begin < rows.end;
       begin += kPanelsAtOnce) {
    const std::size_t end = std::min(begin + kPanelsAtOnce, rows.end);
    for (std::size_t panel = std::max(begin, columns.begin);
         panel < columns.end; ++panel) {
      const std::size_t last_row = std::min(end, panel + 1) * kTileColumns;
      for (std::size_t row = begin * kTileColumns; row < last_row;
           row += kTileRows) {
        search_tile(vectors, row, panel, lists);
      }
    }
  }
}

// Packed vectors that follow each other.
struct SomeVectors {
  const PackedVectors& packed;
  std::size_t begin = 0;  // a multiple of kTileColumns
  std::size_t end = 0;
};

// Offers the products of queries with vectors to the lists of the queries.
void search_for(const SomeVectors& queries, const SomeVectors& vectors,
                TopLists& lists) {
  std::array<float, kTileColumns> no_limits;
  no_limits.fill(std::numeric_limits<float>::infinity());
  Products products;
  for (std::size_t column = vectors.begin; column < vectors.end;
       column += kTileColumns) {
    const std::size_t num = std::min(kTileColumns, vectors.end - column);
    const float* panel = vectors.packed.panel(column / kTileColumns);
    for (std::size_t first = 0; first < lists.size(); first += kTileRows) {
      const std::uint32_t rows =
          multiply_tile(queries.packed.vector(queries.begin + first), panel,
                        vectors.packed.dimension(), lists.limits() + first,
                        no_limits.data(), products.data());
      for (std::size_t row = 0; rows != 0 && row < kTileRows; ++row) {
        if (!has(rows, row)) continue;
        for (std::size_t c = 0; c < num; ++c) {
          lists.offer(first + row, column + c,
                      products[row * kTileColumns + c]);
        }
      }
    }
  }
}

// The lists of some queries, whose vectors are shared by ranges.
TopLists search_ranges(const SomeVectors& queries, const SomeVectors& vectors,
                       std::size_t most, double least) {
  constexpr std::size_t kRange = kSearchPanels * kTileColumns;
  const std::size_t num_ranges =
      std::max<std::size_t>(1, (vectors.end + kRange - 1) / kRange);
  const std::size_t num_queries = queries.end - queries.begin;
  const std::size_t num_places =
      (num_queries + kTileRows - 1) / kTileRows * kTileRows;
  std::vector<TopLists> lists(num_ranges,
                              TopLists(num_queries, num_places, most, least));
  parallel_ranges(num_ranges, 1, [&](std::size_t range, std::size_t end) {
    for (; range < end; ++range) {
      search_for(queries,
                 {vectors.packed, range * kRange,
                  std::min((range + 1) * kRange, vectors.end)},
                 lists[range]);
    }
  });
  for (std::size_t range = 1; range < num_ranges; ++range) {
    lists[0].offer(lists[range]);
  }
  return std::move(lists[0]);
}

}  // namespace

// The panels are in groups. In each round every group is searched with another
// one, so that no two threads have the same vectors and the lists do not depend
// on threads. The first round is of each with itself: vectors near in time are
// alike and raise the limits.
std::vector<Neighbours> find_neighbours(const PackedVectors& vectors,
                                        std::size_t num_vectors,
                                        std::size_t most, double least) {
  const std::size_t num_panels = vectors.num_panels();
  const std::size_t group_size = (num_panels + kNumGroups - 1) / kNumGroups;
  const std::size_t grain = num_panels < kLeastPanels ? kNumGroups : 1;
  const auto panels_of = [&](std::size_t group) {
    return Panels{std::min(group * group_size, num_panels),
                  std::min((group + 1) * group_size, num_panels)};
  };
  TopLists lists(num_vectors, vectors.num_places(), most, least);
  for (std::size_t round = 0; round < kNumGroups; ++round) {
    parallel_ranges(kNumGroups, grain, [&](std::size_t group, std::size_t end) {
      for (; group < end; ++group) {
        const std::size_t other = group ^ round;
        if (other < group) continue;
        search_panels(vectors, panels_of(group), panels_of(other), lists);
      }
    });
  }
  return lists.take();
}

std::vector<Neighbours> find_neighbours_of(const PackedVectors& queries,
                                           std::size_t num_queries,
                                           const PackedVectors& vectors,
                                           std::size_t num_vectors,
                                           std::size_t most, double least) {
  std::vector<Neighbours> result;
  for (std::size_t begin = 0; begin < num_queries; begin += kMostQueries) {
    const std::size_t end = std::min(begin + kMostQueries, num_queries);
    std::vector<Neighbours> found =
        search_ranges({queries, begin, end}, {vectors, 0, num_vectors}, most,
                      least)
            .take();
    std::ranges::move(found, std::back_inserter(result));
  }
  return result;
}

}  // namespace diarize
