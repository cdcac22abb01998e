#include "core/clustering/refine.h"

#include "core/clustering/exact_sum.h"
#include "core/clustering/nearest_tracker.h"
#include "core/dot_products.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>

namespace diarize {
namespace {

constexpr int kMaxRounds = 10;
constexpr double kConverged = 1e-9;
constexpr double kNoiseSeconds = 2.0;
constexpr double kLeastQuality = 1e-3;
constexpr double kRivalRise = 0.25;  // of the threshold between rivals
constexpr double kRivalShare = 0.3;  // at which it has risen in full
constexpr double kLeastRivalSpeech = 1e-9;
constexpr double kLeastShare = 0.0075;
constexpr double kLeastSpeech = 1.5;  // s
constexpr double kMostSpeech = 6.0;   // s

constexpr double kMostPieceSeconds = 2048.0;  // for ExactSum

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A cluster after another with a corrected cosine above the lowest threshold.
struct Alike {
  std::int32_t id = 0;
  double similarity = 0.0;
};

// A centroid with what belongs to it.
struct Cluster {
  explicit Cluster(std::size_t dimension) : sum(dimension) {}

  ExactSum sum;                // of its pieces
  std::size_t num_pieces = 0;  // assigned to it
  bool changed = true;         // its pieces, since its centroid was taken
  double speech = 0.0;         // s, when the pieces last settled,
  std::int32_t measured_version = -1;  // and the centroid then
  std::vector<Alike> alike;
};

using Pair = std::pair<std::int32_t, std::int32_t>;  // ids, ascending

// A pair that may become one.
struct AlikePair {
  Pair pair;
  double similarity = 0.0;
};

VectorList joined(const VectorList& a, const VectorList& b) {
  VectorList result = a;
  result.insert(result.end(), b.begin(), b.end());
  return result;
}

class Refiner {
 public:
  Refiner(const Array<double, 2>& centroids, const WeightedVectors& pieces,
          const Rivals& rivals, const RefineOptions& options);

  [[nodiscard]] Array<double, 2> run();

 private:
  [[nodiscard]] Cluster& cluster(std::int32_t id) { return clusters_[id]; }
  [[nodiscard]] const Cluster& cluster(std::int32_t id) const {
    return clusters_[id];
  }
  [[nodiscard]] const Centroid& centroid(std::int32_t id) const;
  [[nodiscard]] double similarity(const Centroid& a, const Centroid& b) const;
  [[nodiscard]] double rivalry_of(const Pair& pair, double seconds) const;

  void settle();
  [[nodiscard]] std::vector<double> rival_seconds(
      const std::vector<AlikePair>& pairs);
  [[nodiscard]] bool recentre();
  void assign();
  [[nodiscard]] std::vector<std::int32_t> measure_speech();
  void find_alike(const std::vector<std::int32_t>& changed);
  [[nodiscard]] std::optional<Pair> most_alike();
  [[nodiscard]] Pair cheapest_pair() const;
  void merge(const Pair& pair);
  void erase(std::int32_t id);

  const WeightedVectors& pieces_;
  const Rivals& rivals_;
  RefineOptions options_;
  double least_speech_ = 0.0;
  Centroids centroids_;
  std::vector<Cluster> clusters_;  // by id, those that are gone too
  NearestTracker piece_tracker_;
  NearestTracker rival_tracker_;  // of all first, then all second
};

Refiner::Refiner(const Array<double, 2>& centroids,
                 const WeightedVectors& pieces, const Rivals& rivals,
                 const RefineOptions& options)
    : pieces_(pieces),
      rivals_(rivals),
      options_(options),
      piece_tracker_(pieces.vectors),
      rival_tracker_(joined(rivals.first, rivals.second)) {
  if (!std::ranges::all_of(pieces.seconds, [](double seconds) {
        return seconds < kMostPieceSeconds;
      })) {
    throw std::logic_error("refine_centroids: a piece is too long");
  }
  const double all_speech =
      std::accumulate(pieces.seconds.begin(), pieces.seconds.end(), 0.0);
  least_speech_ =
      std::clamp(kLeastShare * all_speech, kLeastSpeech, kMostSpeech);
  for (std::size_t row = 0; row < centroids.size(0); ++row) {
    const auto value = centroids.row(row);
    centroids_.push_back(
        {static_cast<std::int32_t>(row), 0, {value.begin(), value.end()}});
    clusters_.emplace_back(centroids.size(1));
  }
  assign();
}

const Centroid& Refiner::centroid(std::int32_t id) const {
  return *std::ranges::lower_bound(centroids_, id, {}, &Centroid::id);
}

// The cosine, corrected for the noise of both.
double Refiner::similarity(const Centroid& a, const Centroid& b) const {
  const double quality = std::sqrt(centroid_quality(cluster(a.id).speech)) *
                         std::sqrt(centroid_quality(cluster(b.id).speech));
  return dot(a.value, b.value) / std::max(quality, kLeastQuality);
}

// The share of the speech of the one that has less that two clusters spend as
// rivals: `seconds`, those of all rivals that these two are nearest to.
// Clusters of one voice have 0 to 0.05 once they hold some seconds, different
// voices 0.2 to 1.
double Refiner::rivalry_of(const Pair& pair, double seconds) const {
  const double speech =
      std::min(cluster(pair.first).speech, cluster(pair.second).speech);
  return seconds / std::max(speech, kLeastRivalSpeech);
}

// The seconds that the clusters of some pairs spend as rivals. The pairs
// ascend.
std::vector<double> Refiner::rival_seconds(
    const std::vector<AlikePair>& pairs) {
  std::vector<double> seconds(pairs.size(), 0.0);
  const std::size_t num_rivals = rivals_.seconds.size();
  if (num_rivals == 0) return seconds;
  rival_tracker_.update(centroids_);
  // Most rivals are in none of the pairs. A bit for the second cluster tells,
  // if it is not that of another whose id differs by a multiple of 64.
  const auto bit = [](std::int32_t id) {
    return std::uint64_t{1} << (static_cast<std::uint32_t>(id) % 64U);
  };
  std::vector<std::uint64_t> partners(clusters_.size(), 0);
  for (const AlikePair& alike : pairs) {
    partners[alike.pair.first] |= bit(alike.pair.second);
  }
  const auto labels = rival_tracker_.labels();
  for (std::size_t i = 0; i < num_rivals; ++i) {
    const Pair rivals = std::minmax(labels[i], labels[num_rivals + i]);
    if ((partners[rivals.first] & bit(rivals.second)) == 0) continue;
    const auto alike =
        std::ranges::lower_bound(pairs, rivals, {}, &AlikePair::pair);
    if (alike == pairs.end() || alike->pair != rivals) continue;
    seconds[alike - pairs.begin()] += rivals_.seconds[i];
  }
  return seconds;
}

// Brings the assignment up to date, and the sums with it.
void Refiner::assign() {
  for (const auto& change : piece_tracker_.update(centroids_)) {
    const std::span<const double> vector = pieces_.vectors[change.vector];
    const double seconds = pieces_.seconds[change.vector];
    if (change.before >= 0) {
      Cluster& before = cluster(change.before);
      before.sum.subtract(vector, seconds);
      --before.num_pieces;
      before.changed = true;
    }
    Cluster& after = cluster(change.after);
    after.sum.add(vector, seconds);
    ++after.num_pieces;
    after.changed = true;
  }
}

// Takes anew the centroids whose pieces changed and drops those without any.
// Returns whether anything moved.
bool Refiner::recentre() {
  const std::size_t num_before = centroids_.size();
  std::erase_if(centroids_, [&](const Centroid& centroid) {
    return cluster(centroid.id).num_pieces == 0;
  });
  bool moved = centroids_.size() != num_before;
  for (Centroid& centroid : centroids_) {
    Cluster& own = cluster(centroid.id);
    if (!own.changed) continue;
    own.changed = false;
    std::vector<double> value = own.sum.direction();
    moved |= !std::ranges::equal(value, centroid.value, [](double a, double b) {
      return std::abs(a - b) < kConverged;
    });
    centroid.value = std::move(value);
    ++centroid.version;
  }
  return moved;
}

void Refiner::settle() {
  for (int round = 0; round < kMaxRounds; ++round) {
    const bool moved = recentre();
    assign();
    if (!moved) break;
  }
}

// Measures the speech of all clusters and returns those that are not what they
// were when it was measured last.
std::vector<std::int32_t> Refiner::measure_speech() {
  std::vector<double> speech(clusters_.size(), 0.0);
  const auto labels = piece_tracker_.labels();
  for (std::size_t piece = 0; piece < labels.size(); ++piece) {
    speech[labels[piece]] += pieces_.seconds[piece];
  }
  std::vector<std::int32_t> changed;
  for (const Centroid& centroid : centroids_) {
    Cluster& own = cluster(centroid.id);
    if (own.measured_version == centroid.version &&
        own.speech == speech[centroid.id]) {
      continue;
    }
    own.measured_version = centroid.version;
    own.speech = speech[centroid.id];
    changed.push_back(centroid.id);
  }
  return changed;
}

// Brings the lists of alike clusters up to date.
void Refiner::find_alike(const std::vector<std::int32_t>& changed) {
  std::vector<bool> is_changed(clusters_.size(), false);
  for (const std::int32_t id : changed) {
    is_changed[id] = true;
    cluster(id).alike.clear();
  }
  for (const Centroid& centroid : centroids_) {
    std::erase_if(cluster(centroid.id).alike, [&](const Alike& other) {
      return is_changed[other.id] || cluster(other.id).num_pieces == 0;
    });
  }
  for (const std::int32_t id : changed) {
    const Centroid& own = centroid(id);
    for (const Centroid& other : centroids_) {
      if (other.id == id || (is_changed[other.id] && other.id < id)) continue;
      const double cosine = similarity(own, other);
      if (cosine <= options_.merge_threshold) continue;
      cluster(std::min(id, other.id))
          .alike.push_back({std::max(id, other.id), cosine});
    }
  }
}

// The pair furthest above its threshold, if any is.
std::optional<Pair> Refiner::most_alike() {
  std::vector<AlikePair> pairs;
  for (const Centroid& first : centroids_) {
    for (const Alike& second : cluster(first.id).alike) {
      pairs.push_back({{first.id, second.id}, second.similarity});
    }
  }
  if (pairs.empty()) return std::nullopt;
  std::ranges::sort(pairs, {}, &AlikePair::pair);
  const std::vector<double> seconds = rival_seconds(pairs);
  std::optional<Pair> best;
  double most = 0.0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const double rivalry = rivalry_of(pairs[i].pair, seconds[i]);
    const double threshold = options_.merge_threshold +
                             kRivalRise * std::min(1.0, rivalry / kRivalShare);
    const double excess = pairs[i].similarity - threshold;
    if (excess <= most) continue;
    most = excess;
    best = pairs[i].pair;
  }
  return best;
}

// The pair with which least is given up.
Pair Refiner::cheapest_pair() const {
  Pair best{0, 0};
  double least = kInfinity;
  for (const Centroid& first : centroids_) {
    for (const Centroid& second : centroids_) {
      if (second.id <= first.id) continue;
      const double cost =
          std::min(cluster(first.id).speech, cluster(second.id).speech) *
          (1.0 - std::min(similarity(first, second), 1.0));
      if (cost >= least) continue;
      least = cost;
      best = {first.id, second.id};
    }
  }
  return best;
}

void Refiner::merge(const Pair& pair) {
  const Centroid& first = centroid(pair.first);
  const Centroid& second = centroid(pair.second);
  Centroid merged{static_cast<std::int32_t>(clusters_.size()), 0, {}};
  for (std::size_t i = 0; i < first.value.size(); ++i) {
    merged.value.push_back(cluster(pair.first).speech * first.value[i] +
                           cluster(pair.second).speech * second.value[i]);
  }
  normalize(merged.value);
  clusters_.emplace_back(merged.value.size());
  erase(pair.first);
  erase(pair.second);
  centroids_.push_back(std::move(merged));
}

void Refiner::erase(std::int32_t id) {
  centroids_.erase(std::ranges::lower_bound(centroids_, id, {}, &Centroid::id));
}

Array<double, 2> Refiner::run() {
  while (true) {
    settle();
    const auto num = static_cast<int>(centroids_.size());
    if (num <= options_.fewest) break;
    find_alike(measure_speech());
    const auto smallest = std::ranges::min_element(
        centroids_, {},
        [&](const Centroid& c) { return cluster(c.id).speech; });
    if (const std::optional<Pair> pair = most_alike()) {
      merge(*pair);
    } else if (cluster(smallest->id).speech < least_speech_) {
      centroids_.erase(smallest);
    } else if (num <= options_.most) {
      break;
    } else {
      merge(cheapest_pair());
    }
    assign();
  }
  std::vector<double> values;
  for (const Centroid& centroid : centroids_) {
    values.insert(values.end(), centroid.value.begin(), centroid.value.end());
  }
  const std::size_t dimension = values.size() / centroids_.size();
  return {{centroids_.size(), dimension}, std::move(values)};
}

}  // namespace

double centroid_quality(double seconds) {
  return seconds / (seconds + kNoiseSeconds);
}

Array<double, 2> refine_centroids(const Array<double, 2>& centroids,
                                  const WeightedVectors& pieces,
                                  const Rivals& rivals,
                                  const RefineOptions& options) {
  return Refiner(centroids, pieces, rivals, options).run();
}

}  // namespace diarize
