#include "core/clustering/nearest_tracker.h"

#include "core/dot_products.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace diarize {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kSmallDrift = 1e-4;  // that the bounds can take often
constexpr double kRounding = 1e-9;    // of drifts and products in double

double distance(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += (a[i] - b[i]) * (a[i] - b[i]);
  }
  return std::sqrt(sum);
}

}  // namespace

NearestTracker::NearestTracker(VectorList vectors)
    : vectors_(std::move(vectors)),
      packed_(vectors_),
      labels_(vectors_.size(), -1),
      own_(vectors_.size(), -kInfinity),
      other_(vectors_.size(), -kInfinity) {}

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
  for (std::size_t vector = 0; vector < vectors_.size(); ++vector) {
    other_[vector] += largest;
    const auto own = seen_.find(labels_[vector]);
    own_[vector] =
        own == seen_.end() ? -kInfinity : own_[vector] - own->second.drift;
  }
}

void NearestTracker::take_tile(const std::vector<const Centroid*>& centroids,
                               std::size_t first_row, std::size_t panel,
                               const float* products) {
  const std::size_t first = panel * kTileColumns;
  const std::size_t num = std::min(kTileColumns, vectors_.size() - first);
  const std::size_t rows = std::min(kTileRows, centroids.size() - first_row);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::int32_t id = centroids[first_row + row]->id;
    for (std::size_t c = 0; c < num; ++c) {
      const double product = products[row * kTileColumns + c];
      double& own = own_[first + c];
      double& other = other_[first + c];
      if (labels_[first + c] == id) {
        own = product - kTileError;
      } else if (anew_ && product > own + kTileError) {
        other = std::max(other, own + 2.0 * kTileError);
        own = product - kTileError;
        labels_[first + c] = id;
      } else {
        other = std::max(other, product + kTileError);
      }
    }
  }
}

void NearestTracker::take_products(
    const std::vector<const Centroid*>& centroids) {
  VectorList values;
  for (const Centroid* centroid : centroids) values.push_back(centroid->value);
  const PackedVectors rows(values);
  std::array<float, kTileColumns> no_limits;
  no_limits.fill(std::numeric_limits<float>::infinity());
  std::array<float, kTileRows * kTileColumns> products;
  for (std::size_t panel = 0; panel < packed_.num_panels(); ++panel) {
    for (std::size_t row = 0; row < centroids.size(); row += kTileRows) {
      static_cast<void>(multiply_tile(rows.vector(row), packed_.panel(panel),
                                      packed_.dimension(), no_limits.data(),
                                      no_limits.data(), products.data()));
      take_tile(centroids, row, panel, products.data());
    }
  }
}

void NearestTracker::compare(std::size_t vector, const Centroids& centroids) {
  own_[vector] = -kInfinity;
  other_[vector] = -kInfinity;
  for (const Centroid& centroid : centroids) {
    const double product = dot(vectors_[vector], centroid.value);
    if (product > own_[vector]) {
      other_[vector] = own_[vector];
      own_[vector] = product;
      labels_[vector] = centroid.id;
    } else {
      other_[vector] = std::max(other_[vector], product);
    }
  }
}

std::vector<NearestTracker::Change> NearestTracker::update(
    const Centroids& centroids) {
  const std::vector<std::int32_t> before = labels_;
  std::vector<const Centroid*> far = moved(centroids);
  anew_ = 2 * far.size() > centroids.size();
  if (anew_) {
    far.clear();
    for (const Centroid& centroid : centroids) far.push_back(&centroid);
    std::ranges::fill(labels_, -1);
    std::ranges::fill(own_, -kInfinity);
    std::ranges::fill(other_, -kInfinity);
  } else {
    take_drift();
  }
  take_products(far);
  std::vector<Change> changes;
  for (std::size_t vector = 0; vector < vectors_.size(); ++vector) {
    if (other_[vector] + kRounding >= own_[vector]) compare(vector, centroids);
    if (labels_[vector] != before[vector]) {
      changes.push_back({vector, before[vector], labels_[vector]});
    }
  }
  return changes;
}

}  // namespace diarize
