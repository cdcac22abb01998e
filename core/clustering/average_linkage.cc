#include "core/clustering/average_linkage.h"

#include "core/clustering/distinct_vectors.h"
#include "core/clustering/neighbours.h"
#include "core/dot_products.h"
#include "core/parallel_ranges.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

namespace diarize {
namespace {

constexpr std::size_t kNumNeighbours = 16;
constexpr std::size_t kMostNeighbours = 32;  // of a cluster after merges
constexpr std::size_t kSearchQueries = 32;   // that one search is worth
constexpr std::size_t kMostTries = 128;      // to fill up a search
constexpr std::size_t kSlotsAtOnce = 1024;   // settled
constexpr std::size_t kSlotsOfThread = 64;   // worth a thread
constexpr double kNever = -std::numeric_limits<double>::infinity();

struct Candidate {
  double similarity = kNever;  // the mean product of members
  std::int32_t slot = -1;

  // Of equally near clusters the lowest comes first.
  friend bool operator<(const Candidate& a, const Candidate& b) {
    return a.similarity != b.similarity ? a.similarity > b.similarity
                                        : a.slot < b.slot;
  }
};

Candidate best_of(const std::vector<Candidate>& candidates) {
  return candidates.empty()
             ? Candidate{}
             : *std::ranges::min_element(candidates, std::less<>{});
}

// Clusters, each in the slot of its lowest member.
//
// Every cluster keeps a list of neighbours and a bound on its similarity to
// clusters with no member in the list. A merge cannot break the bound: the
// similarity to two clusters made one is a mean of those to the two. So the
// best of the list is the nearest cluster whenever it is above the bound, and
// only else are all clusters gone through, many queries at a time.
//
// Pairs that are nearest to each other are merged as they are found. Who was
// nearest to one of them is then out of date, and looked for again only when
// somebody's nearest neighbour it is, or when nothing else is left to do.
class Linkage {
 public:
  // `counts` says how many equal vectors each stands for.
  Linkage(const VectorList& vectors, std::vector<double> counts,
          double max_distance);

  void run();
  [[nodiscard]] std::vector<std::int32_t> labels() const;

 private:
  struct Nearest {
    std::int32_t slot = -1;
    std::int32_t version = -1;  // of the slot then
  };

  [[nodiscard]] std::span<const double> sum(std::int32_t slot) const {
    return sums_[slot].empty() ? vectors_[slot]
                               : std::span<const double>(sums_[slot]);
  }
  [[nodiscard]] double similarity(std::int32_t a, std::int32_t b) const {
    return dot(sum(a), sum(b)) / (sizes_[a] * sizes_[b]);
  }
  [[nodiscard]] bool is_near(double similarity) const {
    return 1.0 - similarity <= max_distance_;
  }
  [[nodiscard]] bool is_active(std::int32_t slot) const {
    return places_[slot] >= 0;
  }
  // Whether the nearest cluster of a slot is what it was.
  [[nodiscard]] bool is_known(std::int32_t slot) const {
    const Nearest& nearest = nearest_[slot];
    return nearest.slot >= 0 && is_active(nearest.slot) &&
           versions_[nearest.slot] == nearest.version;
  }

  [[nodiscard]] std::int32_t slot_of(std::int32_t vector);
  void update_list(std::int32_t slot);
  [[nodiscard]] std::vector<Candidate> listed(std::int32_t slot) const;
  [[nodiscard]] std::vector<Candidate> all_others(std::int32_t slot) const;
  [[nodiscard]] bool settle(std::int32_t slot);
  [[nodiscard]] bool settle(std::int32_t slot,
                            std::vector<Candidate> candidates);
  [[nodiscard]] std::vector<std::int32_t> settle_all(
      std::span<const std::int32_t> slots);
  void settle(std::int32_t slot, const Candidate& best);
  void keep(std::int32_t slot, std::vector<Candidate>& candidates,
            std::size_t most, double bound);
  void find_nearest(std::vector<std::int32_t>& slots);
  [[nodiscard]] std::vector<std::int32_t> fill_up(
      std::vector<std::int32_t>& unsure);
  [[nodiscard]] std::optional<std::int32_t> next_unknown();
  void search_all(const std::vector<std::int32_t>& slots);
  [[nodiscard]] std::vector<std::int32_t> merge_pairs(
      const std::vector<std::int32_t>& slots);
  [[nodiscard]] std::vector<std::int32_t> next_slots(
      const std::vector<std::int32_t>& slots) const;
  void merge(std::int32_t low, std::int32_t high);
  void remove(std::int32_t slot);
  void repack();

  const VectorList& vectors_;
  double max_distance_;
  std::vector<std::vector<double>> sums_;  // empty: that of one vector
  std::vector<double> sizes_;
  std::vector<std::int32_t> versions_;  // number of merges
  std::vector<Nearest> nearest_;
  std::vector<std::int32_t> slots_;       // slot or vector each was merged into
  std::vector<std::int32_t> active_;      // slots that may still be merged
  std::vector<std::int32_t> places_;      // of the slots in active_, or -1
  PackedVectors means_;                   // zero where nothing is active
  std::vector<std::int32_t> mean_slots_;  // of the places in means_
  std::vector<std::int32_t> mean_places_;  // of the slots
  std::vector<Neighbours> neighbours_;
  std::size_t next_try_ = 0;  // place in active_
};

Linkage::Linkage(const VectorList& vectors, std::vector<double> counts,
                 double max_distance)
    : vectors_(vectors),
      max_distance_(max_distance),
      sums_(vectors.size()),
      sizes_(std::move(counts)),
      versions_(vectors.size(), 0),
      nearest_(vectors.size()),
      slots_(vectors.size()),
      active_(vectors.size()),
      places_(vectors.size()),
      means_(vectors),
      mean_slots_(vectors.size()),
      mean_places_(vectors.size()),
      neighbours_(find_neighbours(means_, vectors.size(), kNumNeighbours,
                                  1.0 - max_distance)) {
  for (auto* numbers :
       {&slots_, &active_, &places_, &mean_slots_, &mean_places_}) {
    std::iota(numbers->begin(), numbers->end(), 0);
  }
  for (std::size_t slot = 0; slot < vectors.size(); ++slot) {
    if (sizes_[slot] == 1.0) continue;
    for (const double value : vectors[slot]) {
      sums_[slot].push_back(sizes_[slot] * value);
    }
  }
}

std::int32_t Linkage::slot_of(std::int32_t vector) {
  while (slots_[vector] != vector) {
    slots_[vector] = slots_[slots_[vector]];
    vector = slots_[vector];
  }
  return vector;
}

// Makes the list one of clusters, each once.
void Linkage::update_list(std::int32_t slot) {
  std::vector<std::int32_t>& indices = neighbours_[slot].indices;
  for (std::int32_t& index : indices) index = slot_of(index);
  std::ranges::sort(indices);
  const auto repeated = std::ranges::unique(indices);
  indices.erase(repeated.begin(), repeated.end());
}

// The clusters of an updated list.
std::vector<Candidate> Linkage::listed(std::int32_t slot) const {
  std::vector<Candidate> candidates;
  for (const std::int32_t other : neighbours_[slot].indices) {
    if (other == slot || !is_active(other)) continue;
    candidates.push_back({similarity(slot, other), other});
  }
  return candidates;
}

std::vector<Candidate> Linkage::all_others(std::int32_t slot) const {
  std::vector<Candidate> candidates;
  candidates.reserve(active_.size());
  for (const std::int32_t other : active_) {
    if (other != slot) candidates.push_back({similarity(slot, other), other});
  }
  return candidates;
}

// Makes the list of at most `most` of the candidates; `bound` is that of what
// is not among these.
void Linkage::keep(std::int32_t slot, std::vector<Candidate>& candidates,
                   std::size_t most, double bound) {
  if (candidates.size() > most) {
    const auto end = candidates.begin() + static_cast<std::ptrdiff_t>(most);
    std::nth_element(candidates.begin(), end, candidates.end());
    bound = std::max(bound, end->similarity);
    candidates.erase(end, candidates.end());
  }
  Neighbours& neighbours = neighbours_[slot];
  neighbours.bound = bound;
  neighbours.indices.clear();
  for (const Candidate& candidate : candidates) {
    neighbours.indices.push_back(candidate.slot);
  }
}

void Linkage::settle(std::int32_t slot, const Candidate& best) {
  if (is_near(best.similarity)) {
    nearest_[slot] = {best.slot, versions_[best.slot]};
  } else {
    // Nobody will ever be near enough, so it stands for itself.
    remove(slot);
  }
}

// Finds the nearest cluster by the list, unless the list does not say.
bool Linkage::settle(std::int32_t slot) {
  update_list(slot);
  return settle(slot, listed(slot));
}

bool Linkage::settle(std::int32_t slot, std::vector<Candidate> candidates) {
  const double bound = neighbours_[slot].bound;
  const Candidate best = best_of(candidates);
  const bool sure =
      best.similarity > bound || (!is_near(bound) && !is_near(best.similarity));
  if (!sure) return false;
  keep(slot, candidates, kMostNeighbours, bound);
  settle(slot, best);
  return true;
}

// The same for many slots, no two of them equal. Returns those of which the
// list does not say.
std::vector<std::int32_t> Linkage::settle_all(
    std::span<const std::int32_t> slots) {
  std::vector<std::int32_t> unsure;
  std::vector<std::vector<Candidate>> candidates;
  for (std::size_t begin = 0; begin < slots.size(); begin += kSlotsAtOnce) {
    const auto some =
        slots.subspan(begin, std::min(kSlotsAtOnce, slots.size() - begin));
    for (const std::int32_t slot : some) update_list(slot);
    candidates.assign(some.size(), {});
    parallel_ranges(some.size(), kSlotsOfThread,
                    [&](std::size_t i, std::size_t end) {
                      for (; i < end; ++i) candidates[i] = listed(some[i]);
                    });
    for (std::size_t i = 0; i < some.size(); ++i) {
      if (!is_active(some[i])) continue;
      // Some may have gone since.
      std::erase_if(candidates[i], [&](const Candidate& candidate) {
        return !is_active(candidate.slot);
      });
      if (!settle(some[i], std::move(candidates[i]))) {
        unsure.push_back(some[i]);
      }
    }
  }
  return unsure;
}

// Finds the nearest cluster of each of the slots, and of some more, which are
// added to them.
void Linkage::find_nearest(std::vector<std::int32_t>& slots) {
  std::vector<std::int32_t> unsure = settle_all(slots);
  if (unsure.empty()) return;
  const std::vector<std::int32_t> more = fill_up(unsure);
  slots.insert(slots.end(), more.begin(), more.end());
  search_all(unsure);
}

// Fills up a search, which goes through all means, with others that would have
// to search soon, and returns all slots that were looked at.
std::vector<std::int32_t> Linkage::fill_up(std::vector<std::int32_t>& unsure) {
  std::vector<std::int32_t> tried;
  while (unsure.size() % kSearchQueries != 0 && tried.size() < kMostTries) {
    const std::optional<std::int32_t> slot = next_unknown();
    if (!slot || std::ranges::count(unsure, *slot) > 0) break;
    tried.push_back(*slot);
    if (!settle(*slot)) unsure.push_back(*slot);
  }
  return tried;
}

// Another active slot that does not know its nearest cluster.
std::optional<std::int32_t> Linkage::next_unknown() {
  for (std::size_t steps = 0; steps < std::min(kMostTries, active_.size());
       ++steps) {
    next_try_ = (next_try_ + 1) % active_.size();
    if (!is_known(active_[next_try_])) return active_[next_try_];
  }
  return std::nullopt;
}

void Linkage::search_all(const std::vector<std::int32_t>& slots) {
  VectorList sums;
  for (const std::int32_t slot : slots) sums.push_back(sum(slot));
  PackedVectors queries(sums);
  for (std::size_t i = 0; i < slots.size(); ++i) {
    queries.set(i, sums[i], 1.0 / sizes_[slots[i]]);
  }
  std::vector<Neighbours> found =
      find_neighbours_of(queries, slots.size(), means_, mean_slots_.size(),
                         kNumNeighbours, 1.0 - max_distance_);
  // Before any is settled: that may repack the means.
  for (Neighbours& neighbours : found) {
    for (std::int32_t& index : neighbours.indices) index = mean_slots_[index];
  }
  for (std::size_t i = 0; i < slots.size(); ++i) {
    neighbours_[slots[i]] = std::move(found[i]);
    if (settle(slots[i])) continue;
    // Too many are as near as single precision can tell.
    std::vector<Candidate> candidates = all_others(slots[i]);
    const Candidate best = best_of(candidates);
    keep(slots[i], candidates, kNumNeighbours, kNever);
    settle(slots[i], best);
  }
}

void Linkage::merge(std::int32_t low, std::int32_t high) {
  if (sums_[low].empty()) {
    sums_[low].assign(vectors_[low].begin(), vectors_[low].end());
  }
  const std::span<const double> other = sum(high);
  for (std::size_t i = 0; i < other.size(); ++i) sums_[low][i] += other[i];

  Neighbours& kept = neighbours_[low];
  Neighbours& gone = neighbours_[high];
  kept.bound = (sizes_[low] * kept.bound + sizes_[high] * gone.bound) /
               (sizes_[low] + sizes_[high]);
  kept.indices.insert(kept.indices.end(), gone.indices.begin(),
                      gone.indices.end());
  sizes_[low] += sizes_[high];
  ++versions_[low];
  nearest_[low] = {};
  means_.set(mean_places_[low], sums_[low], 1.0 / sizes_[low]);
  slots_[high] = low;
  remove(high);
}

void Linkage::remove(std::int32_t slot) {
  means_.set(mean_places_[slot], sum(slot), 0.0);
  neighbours_[slot] = {};
  sums_[slot] = {};
  const std::int32_t place = places_[slot];
  active_[place] = active_.back();
  places_[active_[place]] = place;
  active_.pop_back();
  places_[slot] = -1;
  if (4 * active_.size() < 3 * mean_slots_.size()) repack();
}

// Leaves out of the means what is no longer active.
void Linkage::repack() {
  VectorList sums;
  mean_slots_ = active_;
  for (const std::int32_t slot : active_) sums.push_back(sum(slot));
  means_ = PackedVectors(sums);
  for (std::size_t place = 0; place < active_.size(); ++place) {
    const std::int32_t slot = active_[place];
    mean_places_[slot] = static_cast<std::int32_t>(place);
    means_.set(place, sums[place], 1.0 / sizes_[slot]);
  }
}

// Merges those of the slots that are nearest to each other with another, and
// returns the slots of the new clusters.
std::vector<std::int32_t> Linkage::merge_pairs(
    const std::vector<std::int32_t>& slots) {
  std::vector<std::int32_t> merged;
  for (const std::int32_t slot : slots) {
    if (!is_active(slot) || !is_known(slot)) continue;
    const std::int32_t other = nearest_[slot].slot;
    if (!is_known(other) || nearest_[other].slot != slot) continue;
    const auto [low, high] = std::minmax({slot, other});
    merge(low, high);
    merged.push_back(low);
  }
  return merged;
}

// Of whom the nearest cluster is to be found next: those that are nearest to
// one of `slots` but do not know their own; else to any; else all that do not
// know theirs.
std::vector<std::int32_t> Linkage::next_slots(
    const std::vector<std::int32_t>& slots) const {
  std::vector<std::int32_t> next;
  const auto add_targets = [&](const std::vector<std::int32_t>& sources) {
    for (const std::int32_t slot : sources) {
      if (!is_active(slot) || !is_known(slot)) continue;
      if (!is_known(nearest_[slot].slot)) next.push_back(nearest_[slot].slot);
    }
  };
  add_targets(slots);
  if (next.empty()) add_targets(active_);
  if (next.empty()) {
    std::ranges::copy_if(active_, std::back_inserter(next),
                         [&](std::int32_t slot) { return !is_known(slot); });
  }
  std::ranges::sort(next);
  const auto repeated = std::ranges::unique(next);
  next.erase(repeated.begin(), repeated.end());
  return next;
}

void Linkage::run() {
  std::vector<std::int32_t> slots = active_;
  while (!active_.empty()) {
    find_nearest(slots);
    std::vector<std::int32_t> merged = merge_pairs(slots);
    slots = merged.empty() ? next_slots(slots) : std::move(merged);
    if (slots.empty() && !active_.empty()) {
      // All know their nearest and no two agree: the nearest of all are equals
      // but for rounding.
      const std::int32_t slot =
          *std::ranges::max_element(active_, {}, [&](std::int32_t active) {
            return similarity(active, nearest_[active].slot);
          });
      const auto [low, high] = std::minmax({slot, nearest_[slot].slot});
      merge(low, high);
      slots = {low};
    }
  }
}

std::vector<std::int32_t> Linkage::labels() const {
  std::vector<std::int32_t> labels(slots_.size());
  std::int32_t num_labels = 0;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    // The slot is a lower member, whose label is known.
    const auto slot = static_cast<std::size_t>(slots_[i]);
    labels[i] = slot == i ? num_labels++ : labels[slot];
  }
  return labels;
}

}  // namespace

std::vector<std::int32_t> average_linkage(const VectorList& vectors,
                                          double max_distance) {
  DistinctVectors distinct = find_distinct(vectors, max_distance);
  Linkage linkage(distinct.vectors, std::move(distinct.counts), max_distance);
  linkage.run();
  const std::vector<std::int32_t> labels = linkage.labels();
  std::vector<std::int32_t> result;
  result.reserve(vectors.size());
  for (const std::int32_t place : distinct.places) {
    result.push_back(labels[place]);
  }
  return result;
}

}  // namespace diarize
