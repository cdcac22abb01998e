#include "core/clustering/centroid_linkage.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

namespace diarize::test {
namespace {

// Heights may differ by the errors that the formula of Lance and Williams
// gathers.
constexpr double kHeight = 1e-9;

// The algorithm as it is defined: in every step look at all pairs. The matrix
// is kept and updated by the formula, as scipy does; O(n^3).
Dendrogram plain_linkage(const Array<float, 2>& points) {
  const std::size_t n = points.size(0);
  Array<double, 2> distance({n, n});
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b < n; ++b) {
      double sum = 0.0;
      for (std::size_t d = 0; d < points.size(1); ++d) {
        const double difference =
            static_cast<double>(points(a, d)) - points(b, d);
        sum += difference * difference;
      }
      distance(a, b) = std::sqrt(sum);
    }
  }
  std::vector<std::int32_t> cluster(n);
  std::vector<std::int32_t> size(n, 1);
  for (std::size_t i = 0; i < n; ++i) cluster[i] = static_cast<int>(i);
  Dendrogram tree;
  for (std::size_t step = 0; step + 1 < n; ++step) {
    std::size_t x = 0;
    std::size_t y = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = a + 1; b < n; ++b) {
        if (size[a] == 0 || size[b] == 0 || !(distance(a, b) < least)) continue;
        least = distance(a, b);
        x = a;
        y = b;
      }
    }
    const double nx = size[x];
    const double ny = size[y];
    for (std::size_t z = 0; z < n; ++z) {
      const double zx = distance(z, x);
      const double zy = distance(z, y);
      distance(z, y) = std::sqrt(
          (nx * zx * zx + ny * zy * zy - nx * ny * least * least / (nx + ny)) /
          (nx + ny));
      distance(y, z) = distance(z, y);
    }
    const auto [first, second] = std::minmax(cluster[x], cluster[y]);
    size[y] += std::exchange(size[x], 0);
    tree.push_back({first, second, size[y], least});
    cluster[y] = static_cast<std::int32_t>(n + step);
  }
  return tree;
}

Array<float, 2> random_points(std::size_t n, std::size_t dimension,
                              unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  Array<float, 2> points({n, dimension});
  for (float& value : points.values()) value = normal(random);
  return points;
}

// Noisy unit vectors around a few centres, as embeddings are.
Array<float, 2> voices(std::size_t n, std::size_t num_voices, unsigned seed) {
  const Array<float, 2> centres = random_points(num_voices, 64, seed);
  Array<float, 2> points = random_points(n, 64, seed + 1);
  for (std::size_t i = 0; i < n; ++i) {
    double norm = 0.0;
    for (std::size_t d = 0; d < 64; ++d) {
      points(i, d) = centres(i % num_voices, d) + 0.5F * points(i, d);
      norm += static_cast<double>(points(i, d)) * points(i, d);
    }
    for (float& value : points.row(i)) {
      value = static_cast<float>(value / std::sqrt(norm));
    }
  }
  return points;
}

std::vector<Merge> without_distances(Dendrogram tree) {
  for (Merge& merge : tree) merge.distance = 0.0;
  return tree;
}

void check_equal(const Dendrogram& found, const Dendrogram& expected) {
  REQUIRE(found.size() == expected.size());
  CHECK(without_distances(found) == without_distances(expected));
  double largest = 0.0;
  for (std::size_t k = 0; k < found.size(); ++k) {
    largest =
        std::max(largest, std::abs(found[k].distance - expected[k].distance));
  }
  CHECK(largest < kHeight);
}

int num_inversions(const Dendrogram& tree) {
  int count = 0;
  for (std::size_t k = 1; k < tree.size(); ++k) {
    count += tree[k].distance < tree[k - 1].distance ? 1 : 0;
  }
  return count;
}

}  // namespace

TEST_SUITE("centroid_linkage") {
  TEST_CASE("random points merge as if all pairs were looked at") {
    for (const unsigned seed : {1U, 2U, 3U}) {
      for (const std::size_t n : {2, 3, 17, 90, 200}) {
        for (const std::size_t dimension : {1, 5, 16, 40}) {
          CAPTURE(n);
          CAPTURE(dimension);
          const Array<float, 2> points = random_points(n, dimension, seed);
          check_equal(centroid_linkage(points), plain_linkage(points));
        }
      }
    }
  }

  TEST_CASE("noisy voices merge as if all pairs were looked at") {
    const Array<float, 2> points = voices(400, 7, 5);
    const Dendrogram tree = centroid_linkage(points);
    check_equal(tree, plain_linkage(points));
    CHECK(num_inversions(tree) > 0);
  }

  TEST_CASE("points far from the origin lose no height") {
    Array<float, 2> points = random_points(120, 8, 9);
    for (float& value : points.values()) value += 1000.0F;
    check_equal(centroid_linkage(points), plain_linkage(points));
  }

  TEST_CASE("distances may fall from one merge to the next") {
    // An almost equilateral triangle: the third corner is nearer to the middle
    // of a side than the ends of that side are to each other.
    const Array<float, 2> points({3, 2}, {0.0F, 0.0F, 1.0F, 0.0F, 0.5F, 0.9F});
    const Dendrogram tree = centroid_linkage(points);
    REQUIRE(tree.size() == 2);
    CHECK(tree[0].distance == doctest::Approx(1.0));
    CHECK(tree[1].distance == doctest::Approx(0.9));
    CHECK(tree[1].first == 2);
    CHECK(tree[1].second == 3);
  }

  TEST_CASE("repeated points merge in the order of scipy") {
    // scipy 1.17.1: linkage(x, "centroid") of 0 1 0 1 0 5 5 in one dimension.
    const Array<float, 2> points({7, 1},
                                 {0.0F, 1.0F, 0.0F, 1.0F, 0.0F, 5.0F, 5.0F});
    const Dendrogram tree = centroid_linkage(points);
    const Dendrogram expected = {{0, 2, 2, 0.0},  {5, 6, 2, 0.0},
                                 {1, 3, 2, 0.0},  {4, 7, 3, 0.0},
                                 {9, 10, 5, 1.0}, {8, 11, 7, 4.6}};
    check_equal(tree, expected);
  }

  TEST_CASE("one point and none have nothing to merge") {
    CHECK(centroid_linkage(Array<float, 2>({1, 4})).empty());
    CHECK(centroid_linkage(Array<float, 2>({0, 4})).empty());
  }

  TEST_CASE("values that are not finite are refused") {
    Array<float, 2> points({3, 2});
    points(1, 1) = std::numeric_limits<float>::quiet_NaN();
    CHECK_THROWS_AS(static_cast<void>(centroid_linkage(points)),
                    std::logic_error);
  }
}

}  // namespace diarize::test
