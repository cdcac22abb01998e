#include "core/clustering/nearest_tracker.h"

#include "core/dot_products.h"
#include "core/parallel_ranges.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace diarize {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kKept = 4;             // listed when a list is made
constexpr std::size_t kFewVectors = 24;      // that are not worth packing
constexpr std::size_t kPanelsAtOnce = 16;    // worth a thread
constexpr std::size_t kSettledAtOnce = 256;  // vectors that are
constexpr std::size_t kRankedAtOnce = 4;     // vectors to compare with all
constexpr double kSmallDrift = 1e-3;         // that the bounds can take often
constexpr double kRounding = 1e-9;           // of drifts and products in double

double distance(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += (a[i] - b[i]) * (a[i] - b[i]);
  }
  return std::sqrt(sum);
}

// Not below `bound` if that is less than 8, and else far above any product.
float above(double bound) { return static_cast<float>(bound + 1e-6); }

using Limits = std::array<float, kTileColumns>;

PackedVectors pack(const std::vector<const Centroid*>& centroids) {
  VectorList values;
  values.reserve(centroids.size());
  for (const Centroid* centroid : centroids) {
    values.emplace_back(centroid->value);
  }
  return PackedVectors(values);
}

// Calls take(row, products) for each of `num_rows` that has a product above a
// limit with a vector of the panel; the products are with all of these. The
// limits may rise meanwhile.
template <typename Take>
void for_each_row(const PackedVectors& rows, std::size_t num_rows,
                  const PackedVectors& vectors, std::size_t panel,
                  const Limits& limits, const Take& take) {
  std::array<float, kTileRows> no_limits;
  no_limits.fill(kInfinity);
  std::array<float, kTileRows * kTileColumns> products;
  for (std::size_t first = 0; first < num_rows; first += kTileRows) {
    const std::uint32_t above_limits = multiply_tile(
        rows.vector(first), vectors.panel(panel), vectors.dimension(),
        no_limits.data(), limits.data(), products.data());
    const std::size_t num = std::min(kTileRows, num_rows - first);
    for (std::size_t row = 0; row < num; ++row) {
      if ((above_limits >> row & 1U) == 0) continue;
      take(first + row, products.data() + row * kTileColumns);
    }
  }
}

}  // namespace

// The centroids with the largest products, largest first; of equal ones that
// with the lower id.
class NearestTracker::Ranking {
 public:
  struct Place {
    double product = -kInfinity;
    std::int32_t id = -1;

    friend bool operator<(const Place& a, const Place& b) {
      return a.product != b.product ? a.product > b.product : a.id < b.id;
    }
  };

  explicit Ranking(std::size_t num_places) : num_(num_places) {}

  // Not below any product that has no place.
  [[nodiscard]] double limit() const { return places_[num_ - 1].product; }
  [[nodiscard]] const Place& operator[](std::size_t index) const {
    return places_[index];
  }

  void offer(double product, std::int32_t id) {
    const Place place{product, id};
    std::size_t i = num_ - 1;
    if (!(place < places_[i])) return;
    for (; i > 0 && place < places_[i - 1]; --i) places_[i] = places_[i - 1];
    places_[i] = place;
  }

 private:
  std::size_t num_;
  std::array<Place, kMostListed + 1> places_;
};

NearestTracker::NearestTracker(VectorList vectors)
    : vectors_(std::move(vectors)),
      packed_(vectors_),
      known_(vectors_.size()),
      listed_(vectors_.size()),
      labels_(vectors_.size(), -1) {}

// The centroids that are new or moved far. Notes the drift of the others, and
// forgets those that are gone.
std::vector<const Centroid*> NearestTracker::moved(const Centroids& centroids) {
  seen_.resize(std::max<std::size_t>(
      seen_.size(), static_cast<std::size_t>(centroids.back().id) + 1));
  for (Seen& seen : seen_) seen.present = false;
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
  for (Seen& seen : seen_) {
    if (!seen.present) seen = {};
  }
  return moved;
}

// Widens the bounds by the small drifts, and takes away the own centroid of
// vectors whose centroid is gone.
void NearestTracker::take_drift() {
  double largest = 0.0;
  for (const Seen& seen : seen_) largest = std::max(largest, seen.drift);
  for (Known& known : known_) {
    const Seen& own = seen_[known.label];
    known.own = own.present ? known.own - own.drift : -kInfinity;
    if (largest == 0.0) continue;
    known.other += largest;
    known.rest = above(known.rest + largest);
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

// Takes the products of one centroid into what is known of some vectors.
void NearestTracker::take_row(const float* products, std::int32_t id,
                              std::size_t begin, std::size_t end) {
  for (std::size_t vector = begin; vector < end; ++vector) {
    const double product = products[vector - begin];
    Known& known = known_[vector];
    if (known.label == id) {
      known.own = product - kTileError;
      continue;
    }
    const double bound = product + kTileError;
    known.other = std::max(known.other, bound);
    if (bound <= known.rest) continue;
    Listed& listed = listed_[vector];
    if (std::ranges::find(listed, id) != listed.end()) continue;
    const auto place = std::ranges::find(listed, -1);
    if (place != listed.end()) {
      *place = id;
    } else {
      known.rest = above(bound);
    }
  }
}

// Takes the products of all vectors with some centroids into the bounds.
void NearestTracker::take_products(
    const std::vector<const Centroid*>& centroids) {
  if (centroids.empty()) return;
  const PackedVectors rows = pack(centroids);
  Limits none;
  none.fill(-std::numeric_limits<float>::infinity());
  parallel_ranges(
      packed_.num_panels(), kPanelsAtOnce,
      [&](std::size_t panel, std::size_t last) {
        for (; panel < last; ++panel) {
          const std::size_t begin = panel * kTileColumns;
          const std::size_t end = std::min(begin + kTileColumns, known_.size());
          for_each_row(rows, centroids.size(), packed_, panel, none,
                       [&](std::size_t row, const float* products) {
                         take_row(products, centroids[row]->id, begin, end);
                       });
        }
      });
}

// Makes the bounds and the list of a vector anew from products that may be off
// by `error`.
void NearestTracker::set(std::size_t vector, const Ranking& ranking,
                         double error) {
  known_[vector] = {ranking[0].id, above(ranking[kKept + 1].product + error),
                    ranking[0].product - error, ranking[1].product + error};
  Listed& listed = listed_[vector];
  listed.fill(-1);
  for (std::size_t i = 0; i < kKept; ++i) listed[i] = ranking[i + 1].id;
}

// Finds the nearest centroid of a vector by its own and those of its list.
// Returns whether these tell.
bool NearestTracker::settle(std::size_t vector) {
  Known& known = known_[vector];
  Ranking ranking(kMostListed + 1);
  const auto offer = [&](std::int32_t id) {
    if (id < 0 || !seen_[id].present) return;
    ranking.offer(dot(vectors_[vector], seen_[id].value), id);
  };
  offer(known.label);
  for (const std::int32_t id : listed_[vector]) offer(id);
  const double rest = known.rest;
  if (!(ranking[0].product > rest + kRounding)) return false;
  set(vector, ranking, 0.0);
  known.other = std::max(known.other, rest);
  known.rest = std::max(known.rest, static_cast<float>(rest));
  return true;
}

// Those of some vectors for which the lists do not tell.
std::vector<std::size_t> NearestTracker::unsettled(
    std::vector<std::size_t> vectors) {
  std::vector<char> settled(vectors.size());
  const auto settle_some = [&](std::size_t i, std::size_t end) {
    for (; i < end; ++i) settled[i] = static_cast<char>(settle(vectors[i]));
  };
  parallel_ranges(vectors.size(), kSettledAtOnce, settle_some);
  std::size_t num = 0;
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    if (settled[i] == 0) vectors[num++] = vectors[i];
  }
  vectors.resize(num);
  return vectors;
}

// Ranks all centroids for some vectors, which are also given packed.
void NearestTracker::compare(const std::vector<std::size_t>& vectors,
                             const PackedVectors& packed,
                             const std::vector<const Centroid*>& centroids) {
  const PackedVectors rows = pack(centroids);
  const auto rank_panel = [&](std::size_t panel) {
    const std::size_t first = panel * kTileColumns;
    const std::size_t num = std::min(kTileColumns, vectors.size() - first);
    std::vector<Ranking> rankings(num, Ranking(kKept + 2));
    Limits limits;
    limits.fill(kInfinity);
    std::fill_n(limits.begin(), num, -std::numeric_limits<float>::infinity());
    const auto offer = [&](std::size_t row, const float* products) {
      for (std::size_t c = 0; c < num; ++c) {
        if (!(products[c] > limits[c])) continue;
        rankings[c].offer(products[c], centroids[row]->id);
        limits[c] = static_cast<float>(rankings[c].limit());
      }
    };
    for_each_row(rows, centroids.size(), packed, panel, limits, offer);
    for (std::size_t c = 0; c < num; ++c) {
      set(vectors[first + c], rankings[c], kTileError);
    }
  };
  parallel_ranges(packed.num_panels(), kPanelsAtOnce,
                  [&](std::size_t panel, std::size_t last) {
                    for (; panel < last; ++panel) rank_panel(panel);
                  });
}

// Ranks all centroids for some vectors: a few one by one, more by tiles.
void NearestTracker::compare_some(
    const std::vector<std::size_t>& vectors,
    const std::vector<const Centroid*>& centroids) {
  if (vectors.size() <= kFewVectors) {
    compare_exactly(vectors, centroids);
    return;
  }
  VectorList values;
  for (const std::size_t vector : vectors) values.push_back(vectors_[vector]);
  compare(vectors, PackedVectors(values), centroids);
}

// The same in double precision.
void NearestTracker::compare_exactly(
    const std::vector<std::size_t>& vectors,
    const std::vector<const Centroid*>& centroids) {
  const auto rank_some = [&](std::size_t i, std::size_t end) {
    for (; i < end; ++i) {
      Ranking ranking(kKept + 2);
      for (const Centroid* centroid : centroids) {
        ranking.offer(dot(vectors_[vectors[i]], centroid->value), centroid->id);
      }
      set(vectors[i], ranking, 0.0);
    }
  };
  parallel_ranges(vectors.size(), kRankedAtOnce, rank_some);
}

std::vector<NearestTracker::Change> NearestTracker::update(
    const Centroids& centroids) {
  std::vector<const Centroid*> all;
  for (const Centroid& centroid : centroids) all.push_back(&centroid);
  const std::vector<const Centroid*> far = moved(centroids);
  if (2 * far.size() > all.size()) {
    std::vector<std::size_t> vectors(vectors_.size());
    std::iota(vectors.begin(), vectors.end(), 0);
    compare(vectors, packed_, all);
  } else {
    take_drift();
    take_products(far);
    compare_some(unsettled(crossed()), all);
  }
  compare_exactly(unsettled(crossed()), all);

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
