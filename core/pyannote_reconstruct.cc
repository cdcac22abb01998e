#include "core/pyannote_reconstruct.h"

#include "core/turns.h"
#include "core/votes.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

namespace diarize {
namespace {

constexpr double kShortestTurn = 1e-6;  // s; pyannote.core's precision

// The index-th of A, B, .., Z, AA, AB, ..
std::string track_name(std::int64_t index) {
  std::string name;
  for (std::int64_t rest = index + 1; rest > 0; rest = (rest - 1) / 26) {
    name.insert(name.begin(), static_cast<char>('A' + (rest - 1) % 26));
  }
  return name;
}

bool decimal_less(std::int32_t a, std::int32_t b) {
  return std::to_string(a) < std::to_string(b);
}

// Track names of turns in the order in which support() makes them.
std::vector<std::string> names_after_filling(const Turns& turns) {
  std::vector<std::size_t> order(turns.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    if (turns[a].speaker != turns[b].speaker) {
      return decimal_less(turns[a].speaker, turns[b].speaker);
    }
    return turns[a].onset < turns[b].onset;
  });
  std::vector<std::string> names(turns.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    names[order[i]] = track_name(static_cast<std::int64_t>(i));
  }
  return names;
}

// Labels and centroids of the clusters that have turns.
class Labeller {
 public:
  Labeller(const Turns& turns, std::size_t num_clusters,
           const Array<double, 2>& centroids)
      : labels_(labels_by_decimal(turns, num_clusters)),
        centroids_(centroids) {}

  [[nodiscard]] Turns apply(Turns turns) const {
    for (Turn& turn : turns) turn.speaker = labels_[turn.speaker];
    return turns;
  }

  [[nodiscard]] int num_labels() const {
    return *std::ranges::max_element(labels_) + 1;
  }

  [[nodiscard]] Array<double, 2> centroids() const {
    Array<double, 2> result(
        {static_cast<std::size_t>(num_labels()), centroids_.size(1)});
    for (std::size_t k = 0; k < labels_.size(); ++k) {
      if (labels_[k] < 0 || k >= centroids_.size(0)) continue;
      std::ranges::copy(centroids_.row(k), result.row(labels_[k]).begin());
    }
    return result;
  }

 private:
  std::vector<std::int32_t> labels_;  // by cluster
  const Array<double, 2>& centroids_;
};

}  // namespace

std::vector<std::int32_t> labels_by_decimal(const Turns& turns,
                                            std::size_t num_clusters) {
  std::vector<std::int32_t> labels(num_clusters, -1);
  std::vector<std::int32_t> used;
  for (const Turn& turn : turns) {
    if (std::exchange(labels[turn.speaker], 0) < 0)
      used.push_back(turn.speaker);
  }
  std::ranges::sort(used, decimal_less);
  for (std::size_t i = 0; i < used.size(); ++i) {
    labels[used[i]] = static_cast<std::int32_t>(i);
  }
  return labels;
}

Turns in_track_order(Turns turns, bool gaps_filled) {
  std::vector<std::string> names;
  if (gaps_filled) {
    names = names_after_filling(turns);
  } else {
    for (const Turn& turn : turns) names.push_back(track_name(turn.speaker));
  }
  std::vector<std::size_t> order(turns.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) {
    return std::tuple(turns[i].onset, turns[i].duration, names[i]);
  });
  Turns sorted;
  sorted.reserve(turns.size());
  for (const std::size_t i : order) sorted.push_back(turns[i]);
  return sorted;
}

Diarization reconstruct_pyannote(const LocalActivity& activity,
                                 const SpeakerCount& count,
                                 const Clusters& clusters,
                                 const CountBounds& bounds,
                                 double min_duration_off) {
  SpeakerCount capped = count;
  int most_at_once = 0;
  for (std::uint8_t& value : capped.count) {
    value = static_cast<std::uint8_t>(std::min<int>(value, bounds.max));
    most_at_once = std::max<int>(most_at_once, value);
  }
  if (most_at_once == 0) return {};
  const std::int32_t num_used =
      *std::ranges::max_element(clusters.assignment.values()) + 1;
  const auto num_clusters =
      static_cast<std::size_t>(std::max(num_used, most_at_once));
  const Reconstruction active = reconstruct(
      {activity, capped, clusters.assignment, num_clusters, {}, {}});

  TurnRules options;
  options.min_duration_off = min_duration_off;
  options.longest_dropped = kShortestTurn;
  options.frame_time = frame_middle;
  const bool gaps_filled = min_duration_off > 0.0;
  const auto turns_of = [&](const SpeakerActivity& regular) {
    return in_track_order(make_turns(regular, options), gaps_filled);
  };
  Diarization result;
  result.turns = turns_of(active.regular);
  const Labeller labeller(result.turns, num_clusters, clusters.centroids);
  result.turns = labeller.apply(std::move(result.turns));
  result.exclusive_turns = labeller.apply(turns_of(active.exclusive));
  result.num_speakers = labeller.num_labels();
  result.centroids = labeller.centroids();
  return result;
}

}  // namespace diarize
