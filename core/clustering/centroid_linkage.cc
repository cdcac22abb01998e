#include "core/clustering/centroid_linkage.h"

#include "core/clustering/float_products.h"
#include "core/clustering/min_heap.h"
#include "core/parallel_ranges.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

namespace diarize {
namespace {

constexpr float kFar = std::numeric_limits<float>::infinity();
constexpr std::size_t kQueries = 8;   // searched for together at the start
constexpr std::size_t kRowTile = 64;  // rows that stay in the first cache
constexpr std::size_t kGrain = 2048;  // rows worth a thread
constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

// The nearest of some clusters to one.
struct Nearest {
  std::size_t slot = kNone;
  double distance = std::numeric_limits<double>::infinity();
  float others = kFar;  // lower bound of the squared distances of the rest
};

// The centroids of the clusters there are, in slots 0..n-1; a merged cluster
// takes the slot of one of the two and frees the other. Float32 copies of the
// centroids lie in rows without the gaps, in the order of the slots.
class Centroids {
 public:
  explicit Centroids(Array<float, 2> points)
      : num_points_(points.size(0)),
        stride_((points.size(1) + kLaneFloats - 1) / kLaneFloats * kLaneFloats),
        products_(best_float_products()),
        rows_(padded(std::move(points))),
        exact_(rows_.begin(), rows_.end()),
        size_(num_points_, 1),
        row_of_(num_points_),
        slot_of_(num_points_),
        norm_(num_points_) {
    for (std::size_t slot = 0; slot < num_points_; ++slot) {
      row_of_[slot] = slot_of_[slot] = static_cast<std::int32_t>(slot);
      norm_[slot] = squared_norm(slot);
      greatest_norm_ = std::max(greatest_norm_, norm_[slot]);
    }
  }

  [[nodiscard]] std::size_t num_rows() const { return slot_of_.size(); }
  [[nodiscard]] std::int32_t size(std::size_t slot) const {
    return size_[slot];
  }
  [[nodiscard]] std::size_t row_of(std::size_t slot) const {
    return row_of_[slot];
  }
  [[nodiscard]] std::size_t slot_of(std::size_t row) const {
    return slot_of_[row];
  }

  // Exact up to the rounding of float64, and always the same for the same two
  // centroids, in either order.
  [[nodiscard]] double squared_distance(std::size_t a, std::size_t b) const {
    constexpr std::size_t kLanes = 8;
    const double* x = exact_.data() + a * stride_;
    const double* y = exact_.data() + b * stride_;
    std::array<double, kLanes> lanes{};
    for (std::size_t i = 0; i < stride_; i += kLanes) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const double difference = x[i + lane] - y[i + lane];
        lanes[lane] += difference * difference;
      }
    }
    double sum = 0.0;
    for (const double lane : lanes) sum += lane;
    return sum;
  }

  // How far an approximate squared distance from `slot` may be off.
  [[nodiscard]] float error(std::size_t slot) const {
    const double norms = static_cast<double>(norm_[row_of_[slot]]) +
                         static_cast<double>(greatest_norm_);
    return static_cast<float>(norms * (product_error(stride_) + 4.0 * 0x1p-23));
  }

  // Approximate squared distances from `slot` to rows first_row..end, into
  // out[first_row..]; kFar for rows whose cluster is gone.
  void approximate(std::size_t slot, std::size_t first_row,
                   std::vector<float>& out) const {
    const float* query = row(row_of_[slot]);
    const float norm = norm_[row_of_[slot]];
    parallel_ranges(num_rows() - first_row, kGrain,
                    [&](std::size_t begin, std::size_t end) {
                      float* values = out.data() + first_row;
                      products_.one(query, row(first_row + begin), end - begin,
                                    stride_, values + begin);
                      for (std::size_t i = begin; i < end; ++i) {
                        values[i] =
                            norm + norm_[first_row + i] - 2.0F * values[i];
                      }
                    });
  }

  // The same from the rows first..first+kQueries-1 to all rows after `first`,
  // into out[query][...].
  void approximate_many(std::size_t first, std::size_t num_queries,
                        std::vector<std::vector<float>>& out) const {
    for (std::size_t tile = first; tile < num_rows(); tile += kRowTile) {
      const std::size_t count = std::min(kRowTile, num_rows() - tile);
      for (std::size_t query = 0; query < num_queries; query += 4) {
        four(first + query, std::min<std::size_t>(4, num_queries - query), tile,
             count, &out[query]);
      }
    }
    for (std::size_t query = 0; query < num_queries; ++query) {
      const float norm = norm_[first + query];
      for (std::size_t r = first; r < num_rows(); ++r) {
        out[query][r] = norm + norm_[r] - 2.0F * out[query][r];
      }
    }
  }

  // Nearest to `slot` of the rows first_row..end, whose approximate squared
  // distances are given; the lowest slot on ties, none if there are no rows.
  [[nodiscard]] Nearest nearest(std::size_t slot, std::size_t first_row,
                                const std::vector<float>& approximate) const {
    const auto begin = approximate.begin() + first_row;
    const auto end = approximate.begin() + num_rows();
    float least = kFar;
    for (auto value = begin; value != end; ++value) {
      least = std::min(least, *value);
    }
    Nearest result;
    if (least == kFar) return result;
    const float margin = error(slot);
    std::size_t best_row = kNone;
    for (std::size_t r = first_row; r < num_rows(); ++r) {
      if (!(approximate[r] <= least + 2.0F * margin)) continue;
      const double distance = std::sqrt(squared_distance(slot, slot_of_[r]));
      if (distance < result.distance) {
        result.distance = distance;
        best_row = r;
      }
    }
    result.slot = slot_of_[best_row];
    for (std::size_t r = first_row; r < num_rows(); ++r) {
      if (r != best_row)
        result.others = std::min(result.others, approximate[r]);
    }
    result.others -= margin;
    return result;
  }

  // Frees `from` and puts the mean of both clusters into `into`.
  void merge(std::size_t from, std::size_t into) {
    const double share = static_cast<double>(size_[from]) /
                         static_cast<double>(size_[from] + size_[into]);
    const double* x = exact_.data() + from * stride_;
    double* y = exact_.data() + into * stride_;
    float* copy = rows_.data() + row_of_[into] * stride_;
    for (std::size_t i = 0; i < stride_; ++i) {
      // Of two equal centroids this leaves exactly their value.
      y[i] += share * (x[i] - y[i]);
      copy[i] = static_cast<float>(y[i]);
    }
    size_[into] += std::exchange(size_[from], 0);
    norm_[row_of_[into]] = squared_norm(into);
    norm_[row_of_[from]] = kFar;
    if (++num_gone_ * 8 > num_rows()) close_gaps();
  }

 private:
  [[nodiscard]] const float* row(std::size_t r) const {
    return rows_.data() + r * stride_;
  }

  [[nodiscard]] std::vector<float> padded(Array<float, 2> points) const {
    std::vector<float> rows(num_points_ * stride_);
    for (std::size_t i = 0; i < num_points_; ++i) {
      std::ranges::copy(points.row(i), rows.begin() + i * stride_);
    }
    return rows;
  }

  [[nodiscard]] float squared_norm(std::size_t slot) const {
    const double* x = exact_.data() + slot * stride_;
    double sum = 0.0;
    for (std::size_t i = 0; i < stride_; ++i) sum += x[i] * x[i];
    return static_cast<float>(sum);
  }

  void four(std::size_t first_query, std::size_t num_queries,
            std::size_t first_row, std::size_t count,
            std::vector<float>* out) const {
    std::array<const float*, 4> queries{};
    std::array<float*, 4> outs{};
    for (std::size_t query = 0; query < 4; ++query) {
      // Where there are fewer than four the last is done again.
      const std::size_t used = std::min(query, num_queries - 1);
      queries[query] = row(first_query + used);
      outs[query] = out[used].data() + first_row;
    }
    products_.four(queries.data(), row(first_row), count, stride_, outs.data());
  }

  void close_gaps() {
    std::size_t kept = 0;
    for (std::size_t r = 0; r < num_rows(); ++r) {
      const std::int32_t slot = slot_of_[r];
      if (size_[slot] == 0) continue;
      if (kept != r) {
        std::copy_n(rows_.begin() + r * stride_, stride_,
                    rows_.begin() + kept * stride_);
      }
      norm_[kept] = norm_[r];
      slot_of_[kept] = slot;
      row_of_[slot] = static_cast<std::int32_t>(kept++);
    }
    slot_of_.resize(kept);
    num_gone_ = 0;
  }

  std::size_t num_points_;
  std::size_t stride_;
  FloatProducts products_;
  std::vector<float> rows_;            // (num_rows, stride)
  std::vector<double> exact_;          // (num_points, stride) by slot
  std::vector<std::int32_t> size_;     // by slot; 0 where it is free
  std::vector<std::int32_t> row_of_;   // by slot
  std::vector<std::int32_t> slot_of_;  // by row
  std::vector<float> norm_;            // by row, squared; kFar where gone
  float greatest_norm_ = 0.0F;
  std::size_t num_gone_ = 0;  // rows whose cluster is gone
};

// The generic algorithm over the centroids.
class Linkage {
 public:
  explicit Linkage(Array<float, 2> points)
      : num_points_(points.size(0)),
        centroids_(std::move(points)),
        nearest_(first_search()),
        heap_(distances()),
        cluster_(num_points_),
        scratch_(num_points_) {
    for (std::size_t slot = 0; slot < num_points_; ++slot) {
      cluster_[slot] = static_cast<std::int32_t>(slot);
    }
  }

  Dendrogram run() {
    Dendrogram tree;
    tree.reserve(num_points_ - 1);
    while (tree.size() + 1 < num_points_) {
      const std::size_t from = find_pair();
      const std::size_t into = nearest_[from].slot;
      heap_.remove_top();
      const auto [first, second] = std::minmax(cluster_[from], cluster_[into]);
      tree.push_back({first, second,
                      centroids_.size(from) + centroids_.size(into),
                      nearest_[from].distance});
      centroids_.merge(from, into);
      cluster_[into] = static_cast<std::int32_t>(num_points_ + tree.size() - 1);
      update(from, into);
    }
    return tree;
  }

 private:
  [[nodiscard]] double distance(std::size_t a, std::size_t b) const {
    return std::sqrt(centroids_.squared_distance(a, b));
  }

  // Nearest in higher slots, of all slots but the last.
  [[nodiscard]] std::vector<Nearest> first_search() const {
    std::vector<Nearest> result(num_points_ - 1);
    const std::size_t num_groups = (result.size() + kQueries - 1) / kQueries;
    parallel_ranges(num_groups, 4, [&](std::size_t begin, std::size_t end) {
      std::vector<std::vector<float>> scratch(kQueries,
                                              std::vector<float>(num_points_));
      for (std::size_t group = begin; group < end; ++group) {
        const std::size_t first = group * kQueries;
        const std::size_t count = std::min(kQueries, result.size() - first);
        centroids_.approximate_many(first, count, scratch);
        for (std::size_t i = 0; i < count; ++i) {
          result[first + i] =
              centroids_.nearest(first + i, first + i + 1, scratch[i]);
        }
      }
    });
    return result;
  }

  [[nodiscard]] std::vector<double> distances() const {
    std::vector<double> result;
    result.reserve(nearest_.size());
    for (const Nearest& nearest : nearest_) result.push_back(nearest.distance);
    return result;
  }

  // Renews candidates until the least is exact; returns its slot.
  std::size_t find_pair() {
    while (true) {
      const std::size_t slot = heap_.top();
      Nearest& candidate = nearest_[slot];
      const double squared = centroids_.squared_distance(slot, candidate.slot);
      const double current = std::sqrt(squared);
      if (current == candidate.distance) return slot;
      if (squared < static_cast<double>(candidate.others)) {
        candidate.distance = current;
      } else {
        search(slot);
      }
      heap_.change(static_cast<std::int32_t>(slot), candidate.distance);
    }
  }

  void search(std::size_t slot) {
    const std::size_t first_row = centroids_.row_of(slot) + 1;
    centroids_.approximate(slot, first_row, scratch_);
    nearest_[slot] = centroids_.nearest(slot, first_row, scratch_);
  }

  // After the cluster of `from` went into that of `into`.
  void update(std::size_t from, std::size_t into) {
    for (std::size_t slot = 0; slot < from; ++slot) {
      if (nearest_[slot].slot == from) nearest_[slot].slot = into;
    }
    centroids_.approximate(into, 0, scratch_);
    const float margin = centroids_.error(into);
    const std::size_t row = centroids_.row_of(into);
    for (std::size_t r = 0; r < row; ++r) {
      if (scratch_[r] == kFar) continue;
      lower_candidate(centroids_.slot_of(r), into, scratch_[r] - margin);
    }
    if (into + 1 < num_points_) {
      // There is one: the last slot is never freed.
      nearest_[into] = centroids_.nearest(into, row + 1, scratch_);
      heap_.change(static_cast<std::int32_t>(into), nearest_[into].distance);
    }
  }

  // Takes note in `slot` of a new cluster, whose squared distance is at least
  // `bound`.
  void lower_candidate(std::size_t slot, std::size_t cluster, float bound) {
    Nearest& candidate = nearest_[slot];
    const double least = candidate.distance * candidate.distance;
    const bool is_candidate = candidate.slot == cluster;
    if (bound > least * (1.0 + 1e-12)) {
      if (!is_candidate) candidate.others = std::min(candidate.others, bound);
      return;
    }
    const double found = distance(slot, cluster);
    if (!(found < candidate.distance)) {
      if (!is_candidate) candidate.others = std::min(candidate.others, bound);
      return;
    }
    if (!is_candidate) {
      const double old = centroids_.squared_distance(slot, candidate.slot);
      candidate.others =
          std::min(candidate.others, static_cast<float>(old * (1.0 - 1e-6)));
    }
    candidate.slot = cluster;
    candidate.distance = found;
    heap_.change(static_cast<std::int32_t>(slot), found);
  }

  std::size_t num_points_;
  Centroids centroids_;
  std::vector<Nearest> nearest_;  // by slot, all but the last
  MinHeap heap_;
  std::vector<std::int32_t> cluster_;  // number of the cluster in a slot
  std::vector<float> scratch_;
};

}  // namespace

Dendrogram centroid_linkage(Array<float, 2> points) {
  if (points.size(0) < 2) return {};
  if (!std::ranges::all_of(points.values(),
                           [](float value) { return std::isfinite(value); })) {
    throw std::logic_error("centroid_linkage: a value is not finite");
  }
  return Linkage(std::move(points)).run();
}

}  // namespace diarize
