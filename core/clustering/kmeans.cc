#include "core/clustering/kmeans.h"

#include "core/dot_products.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <utility>

namespace diarize {
namespace {

// numpy's RandomState(seed).random_sample.
class UniformStream {
 public:
  explicit UniformStream(std::uint32_t seed) : bits_(seed) {}

  // In [0, 1), 53 bits.
  double next() {
    const auto high = static_cast<double>(bits_() >> 5);
    const auto low = static_cast<double>(bits_() >> 6);
    return (high * 0x1p26 + low) / 0x1p53;
  }

 private:
  std::mt19937 bits_;
};

struct Run {
  std::vector<std::int32_t> labels;
  double inertia = 0.0;
};

// Points around their mean, and what all runs share.
class KMeans {
 public:
  KMeans(Array<float, 2> points, std::size_t num_clusters,
         const KMeansOptions& options)
      : num_clusters_(num_clusters),
        options_(options),
        points_(std::move(points)),
        random_(options.seed) {
    tolerance_ = options.relative_tolerance * mean_variance();
    centre_points();
    for (std::size_t i = 0; i < points_.size(0); ++i) {
      const std::vector<double> point = widened(i);
      norms_.push_back(dot(point, point));
    }
  }

  Run run() {
    const std::vector<std::size_t> seeds = draw_seeds();
    centres_ = Array<double, 2>({num_clusters_, points_.size(1)});
    for (std::size_t k = 0; k < num_clusters_; ++k) {
      std::ranges::copy(points_.row(seeds[k]), centres_.row(k).begin());
    }
    labels_.assign(points_.size(0), -1);
    lloyd();
    return {labels_, inertia()};
  }

 private:
  [[nodiscard]] std::vector<double> widened(std::size_t i) const {
    const std::span<const float> row = points_.row(i);
    return {row.begin(), row.end()};
  }

  // Variance of a column, averaged over the columns.
  [[nodiscard]] double mean_variance() const {
    std::vector<double> sums(points_.size(1));
    std::vector<double> squares(points_.size(1));
    for (std::size_t i = 0; i < points_.size(0); ++i) {
      const std::vector<double> point = widened(i);
      for (std::size_t d = 0; d < point.size(); ++d) {
        sums[d] += point[d];
        squares[d] += point[d] * point[d];
      }
    }
    const auto n = static_cast<double>(points_.size(0));
    double sum = 0.0;
    for (std::size_t d = 0; d < sums.size(); ++d) {
      const double mean = sums[d] / n;
      sum += squares[d] / n - mean * mean;
    }
    return sum / static_cast<double>(points_.size(1));
  }

  // Subtracts the mean, which numpy adds up row after row in float32.
  void centre_points() {
    std::vector<float> mean(points_.size(1));
    for (std::size_t i = 0; i < points_.size(0); ++i) {
      const std::span<const float> row = points_.row(i);
      for (std::size_t d = 0; d < mean.size(); ++d) mean[d] += row[d];
    }
    const auto n = static_cast<float>(points_.size(0));
    for (float& value : mean) value /= n;
    for (std::size_t i = 0; i < points_.size(0); ++i) {
      const std::span<float> row = points_.row(i);
      for (std::size_t d = 0; d < mean.size(); ++d) row[d] -= mean[d];
    }
  }

  // Index of the first seed: numpy's choice with equal float32 weights.
  std::size_t draw_first_seed() {
    const std::size_t n = points_.size(0);
    const auto weight = static_cast<double>(1.0F / static_cast<float>(n));
    std::vector<double> sums(n);
    double sum = 0.0;
    for (double& value : sums) value = sum += weight;
    for (double& value : sums) value /= sum;
    const double drawn = random_.next();
    return std::min<std::size_t>(
        std::ranges::upper_bound(sums, drawn) - sums.begin(), n - 1);
  }

  // Squared distances of all points to one of them, no more than `most`.
  [[nodiscard]] std::vector<float> distances_to(
      std::size_t seed, std::span<const float> most) const {
    const std::vector<double> centre = widened(seed);
    std::vector<float> result(points_.size(0));
    for (std::size_t i = 0; i < result.size(); ++i) {
      const double squared =
          norms_[seed] + norms_[i] - 2.0 * dot(centre, widened(i));
      const auto distance = static_cast<float>(std::max(squared, 0.0));
      result[i] = i == seed      ? 0.0F
                  : most.empty() ? distance
                                 : std::min(most[i], distance);
    }
    return result;
  }

  [[nodiscard]] static float sum_of(std::span<const float> values) {
    return static_cast<float>(
        std::accumulate(values.begin(), values.end(), 0.0));
  }

  std::vector<std::size_t> draw_seeds() {
    std::vector<std::size_t> seeds = {draw_first_seed()};
    std::vector<float> nearest = distances_to(seeds[0], {});
    const int num_trials =
        2 + static_cast<int>(std::log(static_cast<double>(num_clusters_)));
    while (seeds.size() < num_clusters_) {
      std::vector<float> best;
      float best_sum = std::numeric_limits<float>::infinity();
      std::size_t best_seed = 0;
      for (const std::size_t seed : draw_candidates(nearest, num_trials)) {
        std::vector<float> distances = distances_to(seed, nearest);
        const float sum = sum_of(distances);
        if (!best.empty() && !(sum < best_sum)) continue;
        best = std::move(distances);
        best_sum = sum;
        best_seed = seed;
      }
      nearest = std::move(best);
      seeds.push_back(best_seed);
    }
    return seeds;
  }

  // Points drawn in proportion to `weights`.
  std::vector<std::size_t> draw_candidates(std::span<const float> weights,
                                           int num_trials) {
    std::vector<float> sums(weights.size());
    std::partial_sum(weights.begin(), weights.end(), sums.begin());
    const auto total = static_cast<double>(sum_of(weights));
    std::vector<std::size_t> candidates(num_trials);
    for (std::size_t& candidate : candidates) {
      const double drawn = random_.next() * total;
      const auto found = std::ranges::partition_point(sums, [drawn](float sum) {
        return static_cast<double>(sum) < drawn;
      });
      candidate =
          std::min<std::size_t>(found - sums.begin(), weights.size() - 1);
    }
    return candidates;
  }

  void lloyd() {
    for (int iteration = 0; iteration < options_.max_iterations; ++iteration) {
      const bool changed = assign();
      const double moved = move_centres();
      if (!changed) return;
      if (moved <= tolerance_) break;
    }
    assign();
  }

  // Nearest centre of every point; whether any label changed.
  bool assign() {
    std::vector<double> centre_norms(num_clusters_);
    for (std::size_t k = 0; k < num_clusters_; ++k) {
      centre_norms[k] = dot(centres_.row(k), centres_.row(k));
    }
    std::vector<double> products(num_clusters_);
    bool changed = false;
    for (std::size_t i = 0; i < points_.size(0); ++i) {
      dot_rows(widened(i), centres_, products);
      std::int32_t label = 0;
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t k = 0; k < num_clusters_; ++k) {
        const double distance = centre_norms[k] - 2.0 * products[k];
        if (distance < least) {
          least = distance;
          label = static_cast<std::int32_t>(k);
        }
      }
      changed |= std::exchange(labels_[i], label) != label;
    }
    return changed;
  }

  // Moves the centres to the means of their points; returns the sum of the
  // squared distances moved.
  double move_centres() {
    Array<double, 2> sums(centres_.shape());
    std::vector<double> counts(num_clusters_);
    for (std::size_t i = 0; i < points_.size(0); ++i) {
      const std::span<double> sum = sums.row(labels_[i]);
      const std::span<const float> row = points_.row(i);
      for (std::size_t d = 0; d < row.size(); ++d) {
        sum[d] += static_cast<double>(row[d]);
      }
      counts[labels_[i]] += 1.0;
    }
    fill_empty(sums, counts);
    const std::size_t largest =
        std::ranges::max_element(counts) - counts.begin();
    double moved = 0.0;
    Array<double, 2> means(centres_.shape());
    for (std::size_t k = 0; k < num_clusters_; ++k) {
      const std::size_t from = counts[k] > 0.0 ? k : largest;
      for (std::size_t d = 0; d < means.size(1); ++d) {
        // As the original keeps its centres.
        means(k, d) = static_cast<float>(sums(from, d) / counts[from]);
        const double step = means(k, d) - centres_(k, d);
        moved += step * step;
      }
    }
    centres_ = std::move(means);
    return moved;
  }

  // Gives clusters without points the points farthest from their centres.
  void fill_empty(Array<double, 2>& sums, std::vector<double>& counts) const {
    std::vector<std::size_t> empty;
    for (std::size_t k = 0; k < num_clusters_; ++k) {
      if (counts[k] == 0.0) empty.push_back(k);
    }
    if (empty.empty()) return;
    const std::vector<double> distances = distances_to_centres();
    std::vector<std::size_t> far(distances.size());
    std::iota(far.begin(), far.end(), std::size_t{0});
    std::ranges::sort(
        far, {}, [&](std::size_t i) { return std::pair(-distances[i], i); });
    if (distances[far[0]] == 0.0) return;
    for (std::size_t i = 0; i < empty.size(); ++i) {
      const std::int32_t old = labels_[far[i]];
      for (std::size_t d = 0; d < sums.size(1); ++d) {
        const auto value = static_cast<double>(points_(far[i], d));
        sums(old, d) -= value;
        sums(empty[i], d) = value;
      }
      counts[empty[i]] = 1.0;
      counts[old] -= 1.0;
    }
  }

  // Squared distance of every point to the centre it is assigned to.
  [[nodiscard]] std::vector<double> distances_to_centres() const {
    std::vector<double> result(points_.size(0));
    for (std::size_t i = 0; i < result.size(); ++i) {
      const std::span<const float> row = points_.row(i);
      const std::span<const double> centre = centres_.row(labels_[i]);
      for (std::size_t d = 0; d < row.size(); ++d) {
        const double difference = static_cast<double>(row[d]) - centre[d];
        result[i] += difference * difference;
      }
    }
    return result;
  }

  [[nodiscard]] double inertia() const {
    const std::vector<double> distances = distances_to_centres();
    return std::accumulate(distances.begin(), distances.end(), 0.0);
  }

  std::size_t num_clusters_;
  KMeansOptions options_;
  Array<float, 2> points_;
  UniformStream random_;
  std::vector<double> norms_;  // (n) squared
  double tolerance_ = 0.0;
  Array<double, 2> centres_;          // (num_clusters, dimension)
  std::vector<std::int32_t> labels_;  // (n)
};

// Whether two labellings differ in the numbers alone.
bool same_clustering(std::span<const std::int32_t> a,
                     std::span<const std::int32_t> b,
                     std::size_t num_clusters) {
  std::vector<std::int32_t> other(num_clusters, -1);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (other[a[i]] < 0) other[a[i]] = b[i];
    if (other[a[i]] != b[i]) return false;
  }
  return true;
}

}  // namespace

std::vector<std::int32_t> kmeans(Array<float, 2> points, int num_clusters,
                                 const KMeansOptions& options) {
  if (num_clusters < 1 ||
      points.size(0) < static_cast<std::size_t>(num_clusters)) {
    throw std::logic_error("kmeans: more clusters than points, or none");
  }
  const auto k = static_cast<std::size_t>(num_clusters);
  KMeans kmeans(std::move(points), k, options);
  Run best = kmeans.run();
  for (int run = 1; run < options.num_runs; ++run) {
    Run next = kmeans.run();
    if (next.inertia < best.inertia &&
        !same_clustering(next.labels, best.labels, k)) {
      best = std::move(next);
    }
  }
  return best.labels;
}

}  // namespace diarize
