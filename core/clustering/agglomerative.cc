#include "core/clustering/agglomerative.h"

#include "core/clustering/centroid_linkage.h"
#include "core/clustering/cosine_scores.h"
#include "core/clustering/cut_tree.h"
#include "core/clustering/training_rows.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>

namespace diarize {
namespace {

std::vector<std::int32_t> sizes_of(const std::vector<std::int32_t>& labels) {
  std::vector<std::int32_t> sizes(*std::ranges::max_element(labels) + 1);
  for (const std::int32_t label : labels) ++sizes[label];
  return sizes;
}

int num_large_clusters(const std::vector<std::int32_t>& labels, int min_size) {
  const std::vector<std::int32_t> sizes = sizes_of(labels);
  return static_cast<int>(std::ranges::count_if(
      sizes, [min_size](std::int32_t size) { return size >= min_size; }));
}

// Number of large clusters after each merge.
std::vector<int> large_after(const Dendrogram& tree, int min_size) {
  const auto n = static_cast<std::int32_t>(tree.size()) + 1;
  const auto is_large = [&](std::int32_t cluster) {
    return (cluster < n ? 1 : tree[cluster - n].size) >= min_size ? 1 : 0;
  };
  int count = is_large(0) * n;
  std::vector<int> result;
  for (std::size_t k = 0; k < tree.size(); ++k) {
    count += is_large(n + static_cast<std::int32_t>(k)) -
             is_large(tree[k].first) - is_large(tree[k].second);
    result.push_back(count);
  }
  return result;
}

// The merge to cut after for `target` large clusters.
std::size_t best_merge(const Dendrogram& tree, int target, int min_size,
                       double threshold) {
  std::vector<std::size_t> order(tree.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t k) {
    return std::pair(std::abs(tree[k].distance - threshold), k);
  });
  const std::vector<int> large = large_after(tree, min_size);
  std::size_t best = tree.size() - 1;  // one cluster of all
  for (const std::size_t k : order) {
    if (tree[k].size < min_size) continue;
    if (large[k] == target) return k;
    if (std::abs(large[k] - target) < std::abs(large[best] - target)) best = k;
  }
  return best;
}

// Cuts after a merge, whatever the distances.
std::vector<std::int32_t> cut_after(Dendrogram tree, std::size_t merge) {
  for (std::size_t k = 0; k < tree.size(); ++k) {
    tree[k].distance = static_cast<double>(k);
  }
  return cut_tree(tree, static_cast<double>(merge));
}

std::optional<int> target_of(int num_large, const CountBounds& bounds) {
  if (num_large < bounds.min) return bounds.min;
  if (num_large > bounds.max) return bounds.max;
  return bounds.num;
}

// Joins small clusters to large ones and closes the gaps in the numbers.
std::vector<std::int32_t> join_small(const Array<float, 2>& points,
                                     std::vector<std::int32_t> labels,
                                     int min_size) {
  const std::vector<std::int32_t> sizes = sizes_of(labels);
  std::vector<std::int32_t> large;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    if (sizes[k] >= min_size) large.push_back(static_cast<std::int32_t>(k));
  }
  if (large.empty()) return std::vector<std::int32_t>(labels.size(), 0);
  std::vector<std::size_t> rows(labels.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  const Array<double, 2> means =
      cluster_means(points, rows, labels, sizes.size());
  Array<double, 2> large_means({large.size(), points.size(1)});
  for (std::size_t k = 0; k < large.size(); ++k) {
    std::ranges::copy(means.row(large[k]), large_means.row(k).begin());
  }
  const CosineScores scores(std::move(large_means));
  std::vector<std::int32_t> joined(sizes.size());
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    const auto found = std::ranges::find(large, static_cast<std::int32_t>(k));
    joined[k] = found != large.end()
                    ? static_cast<std::int32_t>(found - large.begin())
                    : scores.best(means.row(k));
  }
  for (std::int32_t& label : labels) label = joined[label];
  return labels;
}

}  // namespace

std::vector<std::int32_t> agglomerative(const Array<float, 2>& points,
                                        const CountBounds& bounds,
                                        const AgglomerativeOptions& options) {
  const auto n = static_cast<int>(points.size(0));
  if (n == 0) throw std::logic_error("agglomerative: nothing to cluster");
  const int tenth = static_cast<int>(std::nearbyint(0.1 * n));
  const int min_size = std::min(options.min_cluster_size, std::max(1, tenth));
  if (n == 1) return {0};
  const Dendrogram tree = centroid_linkage(points);
  std::vector<std::int32_t> labels = cut_tree(tree, options.threshold);
  const int num_large = num_large_clusters(labels, min_size);
  const std::optional<int> target = target_of(num_large, bounds);
  if (target && *target != num_large) {
    labels =
        cut_after(tree, best_merge(tree, *target, min_size, options.threshold));
  }
  return join_small(points, std::move(labels), min_size);
}

}  // namespace diarize
