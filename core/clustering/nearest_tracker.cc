#include "core/clustering/nearest_tracker.h"

#include "core/dot_products.h"
#include "core/parallel_ranges.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace diarize {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Centroids whose values stay in the second-level cache, and panels that are
// worth a thread.
constexpr std::size_t kRowsAtOnce = 768;
constexpr std::size_t kPanelsAtOnce = 16;
constexpr double kSmallDrift = 1e-3;  // that the bounds can take often
constexpr double kRounding = 1e-9;    // of drifts and products in double

double distance(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += (a[i] - b[i]) * (a[i] - b[i]);
  }
  return std::sqrt(sum);
}

using Products = std::array<float, kTileRows * kTileColumns>;

Products multiply(const float* rows, const PackedVectors& vectors,
                  std::size_t panel) {
  std::array<float, kTileColumns> no_limits;
  no_limits.fill(std::numeric_limits<float>::infinity());
  Products products;
  static_cast<void>(multiply_tile(rows, vectors.panel(panel),
                                  vectors.dimension(), no_limits.data(),
                                  no_limits.data(), products.data()));
  return products;
}

}  // namespace

// Takes the products of one centroid into what is known.
void NearestTracker::take_row(const float* products, std::int32_t id, bool anew,
                              std::span<Known> known) {
  for (std::size_t c = 0; c < known.size(); ++c) {
    const double product = products[c];
    Known& own = known[c];
    if (own.label == id) {
      own.own = product - kTileError;
    } else if (anew && product > own.own + kTileError) {
      own = {id, product - kTileError,
             std::max(own.other, own.own + 2.0 * kTileError)};
    } else {
      own.other = std::max(own.other, product + kTileError);
    }
  }
}

NearestTracker::NearestTracker(VectorList vectors)
    : vectors_(std::move(vectors)),
      packed_(vectors_),
      known_(vectors_.size()),
      labels_(vectors_.size(), -1) {}

// The centroids that are new or moved far. Notes the drift of the others, and
// forgets those that are gone.
std::vector<const Centroid*> NearestTracker::moved(const Centroids& centroids) {
  for (auto& [id, seen] : seen_) seen.present = false;
  std::vector<const Centroid*> moved;
  for (const Centroid& centroid : centroids) {
    Seen& seen = seen_[centroid.id];
    seen.present = true;
    seen.drift = 0.0;
    if (seen.version == centroid.version) continue;
    const double drift =
        seen.value.empty() ? kInfinity : distance(seen.value, centroid.value);
    if (drift > kSmallDrift) {
      moved.push_back(&centroid);
    } else {
      seen.drift = drift;
    }
    seen.version = centroid.version;
    seen.value = centroid.value;
  }
  std::erase_if(seen_, [](const auto& entry) { return !entry.second.present; });
  return moved;
}

// Widens the bounds by the small drifts, and takes away the own centroid of
// vectors whose centroid is gone.
void NearestTracker::take_drift() {
  double largest = 0.0;
  for (const auto& [id, seen] : seen_) largest = std::max(largest, seen.drift);
  for (Known& known : known_) {
    known.other += largest;
    const auto own = seen_.find(known.label);
    known.own = own == seen_.end() ? -kInfinity : known.own - own->second.drift;
  }
}

// The vectors whose own centroid may not be the nearest.
std::vector<std::size_t> NearestTracker::crossed() const {
  std::vector<std::size_t> vectors;
  for (std::size_t vector = 0; vector < known_.size(); ++vector) {
    const Known& known = known_[vector];
    if (known.other + kRounding >= known.own) vectors.push_back(vector);
  }
  return vectors;
}

// Takes the products of vectors with centroids into their bounds. If these are
// to be found `anew` the centroids are all there are, and the nearest so far
// becomes the own.
void NearestTracker::take_products(
    const PackedVectors& vectors, const std::vector<const Centroid*>& centroids,
    bool anew, std::span<Known> known) const {
  if (anew) std::ranges::fill(known, Known{-1, -kInfinity, -kInfinity});
  VectorList values;
  for (const Centroid* centroid : centroids) {
    values.emplace_back(centroid->value);
  }
  const PackedVectors rows(values);
  for (std::size_t first = 0; first < centroids.size(); first += kRowsAtOnce) {
    const std::size_t end = std::min(first + kRowsAtOnce, centroids.size());
    const auto take_panels = [&](std::size_t panel, std::size_t last) {
      for (; panel < last; ++panel) {
        const std::size_t column = panel * kTileColumns;
        const auto columns = known.subspan(
            column, std::min(kTileColumns, known.size() - column));
        for (std::size_t row = first; row < end; row += kTileRows) {
          const Products products = multiply(rows.vector(row), vectors, panel);
          for (std::size_t r = row; r < std::min(row + kTileRows, end); ++r) {
            take_row(products.data() + (r - row) * kTileColumns,
                     centroids[r]->id, anew, columns);
          }
        }
      }
    };
    parallel_ranges(vectors.num_panels(), kPanelsAtOnce, take_panels);
  }
}

void NearestTracker::compare_exactly(
    std::size_t vector, const std::vector<const Centroid*>& centroids) {
  Known known{-1, -kInfinity, -kInfinity};
  for (const Centroid* centroid : centroids) {
    const double product = dot(vectors_[vector], centroid->value);
    if (product > known.own) {
      known = {centroid->id, product, known.own};
    } else {
      known.other = std::max(known.other, product);
    }
  }
  known_[vector] = known;
}

// Finds the nearest of all centroids.
void NearestTracker::compare(const std::vector<std::size_t>& vectors,
                             const std::vector<const Centroid*>& centroids) {
  VectorList values;
  for (const std::size_t vector : vectors) values.push_back(vectors_[vector]);
  std::vector<Known> known(vectors.size());
  take_products(PackedVectors(values), centroids, true, known);
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    known_[vectors[i]] = known[i];
  }
}

std::vector<NearestTracker::Change> NearestTracker::update(
    const Centroids& centroids) {
  std::vector<const Centroid*> all;
  for (const Centroid& centroid : centroids) all.push_back(&centroid);
  const std::vector<const Centroid*> far = moved(centroids);
  const bool anew = 2 * far.size() > all.size();
  if (!anew) take_drift();
  take_products(packed_, anew ? all : far, anew, known_);
  if (!anew) compare(crossed(), all);
  for (const std::size_t vector : crossed()) compare_exactly(vector, all);

  std::vector<Change> changes;
  for (std::size_t vector = 0; vector < labels_.size(); ++vector) {
    const std::int32_t label = known_[vector].label;
    if (label == labels_[vector]) continue;
    changes.push_back({vector, labels_[vector], label});
    labels_[vector] = label;
  }
  return changes;
}

}  // namespace diarize
