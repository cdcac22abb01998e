#include "core/clustering/distinct_vectors.h"

#include "core/dot_products.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace diarize {
namespace {

constexpr double kUnitError = 1e-9;  // of the square of a length

}  // namespace

DistinctVectors find_distinct(const VectorList& vectors, double max_distance) {
  const auto compare = [&](std::int32_t a, std::int32_t b) {
    return std::memcmp(vectors[a].data(), vectors[b].data(),
                       vectors[a].size_bytes());
  };
  std::vector<std::int32_t> order(vectors.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](std::int32_t a, std::int32_t b) {
    const int comparison = compare(a, b);
    return comparison != 0 ? comparison < 0 : a < b;
  });
  std::vector<std::int32_t> lowest(vectors.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::int32_t vector = order[i];
    const double distance = 1.0 - dot(vectors[vector], vectors[vector]);
    const bool same = i > 0 && compare(order[i - 1], vector) == 0 &&
                      std::abs(distance) < kUnitError &&
                      distance <= max_distance;
    lowest[vector] = same ? lowest[order[i - 1]] : vector;
  }
  DistinctVectors distinct;
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    if (lowest[i] == static_cast<std::int32_t>(i)) {
      distinct.places.push_back(
          static_cast<std::int32_t>(distinct.vectors.size()));
      distinct.vectors.push_back(vectors[i]);
      distinct.counts.push_back(1.0);
    } else {
      distinct.places.push_back(distinct.places[lowest[i]]);
      ++distinct.counts[distinct.places.back()];
    }
  }
  return distinct;
}

}  // namespace diarize
