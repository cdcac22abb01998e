#include "core/clustering/average_linkage.h"

#include "core/dot_products.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

namespace diarize {
namespace {

// Clusters, each in the slot of its lowest member.
class Linkage {
 public:
  explicit Linkage(const VectorList& vectors)
      : sums_({vectors.size(), vectors.empty() ? 0 : vectors[0].size()}),
        sizes_(vectors.size(), 1.0),
        slots_(vectors.size()),
        active_(vectors.size()) {
    for (std::size_t i = 0; i < vectors.size(); ++i) {
      std::ranges::copy(vectors[i], sums_.row(i).begin());
    }
    std::iota(slots_.begin(), slots_.end(), 0);
    std::iota(active_.begin(), active_.end(), 0);
  }

  void run(double max_distance);
  [[nodiscard]] std::vector<std::int32_t> labels();

 private:
  struct Neighbour {
    std::int32_t slot = -1;
    double distance = std::numeric_limits<double>::infinity();
  };

  [[nodiscard]] double distance(std::int32_t a, std::int32_t b) const {
    return 1.0 - dot(sums_.row(a), sums_.row(b)) / (sizes_[a] * sizes_[b]);
  }

  [[nodiscard]] Neighbour nearest(std::int32_t slot) const;
  void merge(std::int32_t a, std::int32_t b);
  void remove(std::int32_t slot);

  Array<double, 2> sums_;
  std::vector<double> sizes_;
  std::vector<std::int32_t> slots_;   // slot that each vector was merged into
  std::vector<std::int32_t> active_;  // slots still to be merged, ascending
};

Linkage::Neighbour Linkage::nearest(std::int32_t slot) const {
  Neighbour best;
  for (const std::int32_t other : active_) {
    if (other == slot) continue;
    const double d = distance(slot, other);
    if (d < best.distance) best = {other, d};
  }
  return best;
}

void Linkage::merge(std::int32_t a, std::int32_t b) {
  const std::int32_t low = std::min(a, b);
  const std::int32_t high = std::max(a, b);
  const std::span<double> sum = sums_.row(low);
  const std::span<const double> other = sums_.row(high);
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += other[i];
  sizes_[low] += sizes_[high];
  slots_[high] = low;
  remove(high);
}

void Linkage::remove(std::int32_t slot) {
  active_.erase(std::ranges::lower_bound(active_, slot));
}

void Linkage::run(double max_distance) {
  std::vector<std::int32_t> chain;
  while (!active_.empty()) {
    if (chain.empty()) chain.push_back(active_.front());
    const std::int32_t last = chain.back();
    const Neighbour next = nearest(last);
    if (next.distance > max_distance) {
      // Nobody will ever be near enough, so it stands for itself.
      remove(last);
      chain.pop_back();
    } else if (chain.size() > 1 && next.slot == chain[chain.size() - 2]) {
      chain.resize(chain.size() - 2);
      merge(last, next.slot);
    } else {
      chain.push_back(next.slot);
    }
  }
}

std::vector<std::int32_t> Linkage::labels() {
  std::vector<std::int32_t> labels(slots_.size());
  std::int32_t num_labels = 0;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const auto slot = static_cast<std::size_t>(slots_[i]);
    // The slot is a lower member, whose label is known.
    labels[i] = slot == i ? num_labels++ : labels[slot];
  }
  return labels;
}

}  // namespace

std::vector<std::int32_t> average_linkage(const VectorList& vectors,
                                          double max_distance) {
  Linkage linkage(vectors);
  linkage.run(max_distance);
  return linkage.labels();
}

}  // namespace diarize
