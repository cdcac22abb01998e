#include "core/clustering/agglomerative.h"

#include "core/clustering/centroid_linkage.h"
#include "core/clustering/cut_tree.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <random>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

namespace diarize::test {
namespace {

using Labels = std::vector<std::int32_t>;

// Unit vectors around `num_voices` directions, of very different numbers.
Array<float, 2> voices(std::size_t n, std::size_t num_voices, float noise,
                       unsigned seed) {
  constexpr std::size_t kDimension = 24;
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  Array<float, 2> centres({num_voices, kDimension});
  for (float& value : centres.values()) value = normal(random);
  Array<float, 2> points({n, kDimension});
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t voice = std::min<std::size_t>(
        num_voices - 1, static_cast<std::size_t>(std::sqrt(i)) % num_voices);
    float norm = 0.0F;
    for (std::size_t d = 0; d < kDimension; ++d) {
      points(i, d) = centres(voice, d) + noise * normal(random);
      norm += points(i, d) * points(i, d);
    }
    for (float& value : points.row(i)) value /= std::sqrt(norm);
  }
  return points;
}

std::vector<int> sizes_of(const Labels& labels) {
  std::vector<int> sizes(*std::ranges::max_element(labels) + 1);
  for (const std::int32_t label : labels) ++sizes[label];
  return sizes;
}

int num_large(const Labels& labels, int min_size) {
  const std::vector<int> sizes = sizes_of(labels);
  return static_cast<int>(
      std::ranges::count_if(sizes, [=](int size) { return size >= min_size; }));
}

Labels cut_after(Dendrogram tree, std::size_t merge) {
  for (std::size_t k = 0; k < tree.size(); ++k) {
    tree[k].distance = static_cast<double>(k);
  }
  return cut_tree(tree, static_cast<double>(merge));
}

// The mean of the members of a cluster.
std::vector<double> mean_of(const Array<float, 2>& points, const Labels& labels,
                            std::int32_t cluster) {
  std::vector<double> mean(points.size(1));
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] != cluster) continue;
    for (std::size_t d = 0; d < mean.size(); ++d) mean[d] += points(i, d);
  }
  return mean;
}

double cosine(const std::vector<double>& a, const std::vector<double>& b) {
  const auto product = [](const auto& x, const auto& y) {
    return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
  };
  return product(a, b) / std::sqrt(product(a, a) * product(b, b));
}

// The search for a number of clusters as the reference writes it: one cut of
// the tree for every merge it looks at.
Labels plain_agglomerative(const Array<float, 2>& points,
                           const CountBounds& bounds,
                           const AgglomerativeOptions& options) {
  const auto n = static_cast<int>(points.size(0));
  const int min_size =
      std::min(options.min_cluster_size,
               std::max(1, static_cast<int>(std::nearbyint(0.1 * n))));
  const Dendrogram tree = centroid_linkage(points);
  Labels labels = cut_tree(tree, options.threshold);
  int found = num_large(labels, min_size);
  int target = bounds.num.value_or(found);
  if (found < bounds.min) target = bounds.min;
  if (found > bounds.max) target = bounds.max;
  if (target != found) {
    std::vector<std::size_t> order(tree.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t k) {
      return std::pair(std::abs(tree[k].distance - options.threshold), k);
    });
    std::size_t best = tree.size();
    int best_found = 1;
    for (const std::size_t k : order) {
      if (tree[k].size < min_size) continue;
      labels = cut_after(tree, k);
      found = num_large(labels, min_size);
      if (std::abs(found - target) < std::abs(best_found - target)) {
        best = k;
        best_found = found;
      }
      if (found == target) break;
    }
    if (best_found != target) labels = cut_after(tree, best);
  }
  const std::vector<int> sizes = sizes_of(labels);
  if (num_large(labels, min_size) == 0) return Labels(labels.size(), 0);
  Labels joined = labels;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (sizes[labels[i]] >= min_size) continue;
    double nearest = -2.0;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      if (sizes[k] < min_size) continue;
      const auto large = static_cast<std::int32_t>(k);
      const double value = cosine(mean_of(points, labels, labels[i]),
                                  mean_of(points, labels, large));
      if (value > nearest) {
        nearest = value;
        joined[i] = large;
      }
    }
  }
  const std::set<std::int32_t> used(joined.begin(), joined.end());
  for (std::int32_t& label : joined) {
    label = static_cast<std::int32_t>(
        std::distance(used.begin(), used.find(label)));
  }
  return joined;
}

}  // namespace

TEST_SUITE("agglomerative") {
  TEST_CASE("labels are those of the reference's search") {
    for (const unsigned seed : {1U, 2U, 3U, 4U}) {
      for (const std::size_t n : {2, 9, 25, 60, 150}) {
        const Array<float, 2> points = voices(n, 5, 0.6F, seed);
        for (const CountBounds& bounds :
             {CountBounds{}, CountBounds{2, 2, 2}, CountBounds{4, 4, 4},
              CountBounds{1, 3, {}}, CountBounds{6, 99, {}},
              CountBounds{12, 12, 12}}) {
          CAPTURE(seed);
          CAPTURE(n);
          CAPTURE(bounds.min);
          const CountBounds limits = limited(bounds, static_cast<int>(n));
          CHECK(agglomerative(points, limits, {}) ==
                plain_agglomerative(points, limits, {}));
        }
      }
    }
  }

  TEST_CASE("a small cluster joins the nearest large one") {
    Array<float, 2> points({31, 2});
    for (std::size_t i = 0; i < 31; ++i) {
      const double angle = i < 15 ? 0.001 * i : i < 30 ? 3.0 + 0.001 * i : 1.0;
      points(i, 0) = static_cast<float>(std::cos(angle));
      points(i, 1) = static_cast<float>(std::sin(angle));
    }
    const Labels labels = agglomerative(points, {}, {});
    CHECK(labels[30] == labels[0]);
    CHECK(labels[29] != labels[0]);
    CHECK(sizes_of(labels)[labels[0]] == 16);
    CHECK(sizes_of(labels)[labels[29]] == 15);
  }

  TEST_CASE("without a large cluster all is one") {
    // 30 directions at right angles: nothing merges below the threshold.
    Array<float, 2> points({30, 30});
    for (std::size_t i = 0; i < 30; ++i) points(i, i) = 1.0F;
    CHECK(agglomerative(points, {}, {}) == Labels(30, 0));
  }

  TEST_CASE("a single embedding is one cluster and none are refused") {
    CHECK(agglomerative(Array<float, 2>({1, 3}, 1.0F), {}, {}) == Labels{0});
    CHECK_THROWS_AS(
        static_cast<void>(agglomerative(Array<float, 2>({0, 3}), {}, {})),
        std::logic_error);
  }
}

}  // namespace diarize::test
