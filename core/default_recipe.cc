#include "core/default_recipe.h"

#include "core/assignment.h"
#include "core/clustering/add_speakers.h"
#include "core/clustering/average_linkage.h"
#include "core/clustering/rivals.h"
#include "core/dot_products.h"
#include "core/large_pages.h"
#include "core/pieces.h"
#include "core/powerset.h"
#include "core/speaker_count.h"
#include "core/turns.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace diarize {
namespace {

constexpr double kLinkageDistance = 0.5;
constexpr double kLeastTrainSeconds = 1.0;  // of a vector in the linkage
constexpr double kLeastPieceSeconds = 0.5;  // to refine with, and to vote
constexpr double kMostAssignSeconds = 3.0;  // that weigh in an assignment
constexpr double kPieceMargin = 0.15;       // cosine to overrule a chunk by

using Presence = std::array<bool, kNumLocalSpeakers>;

Presence presence(const LocalActivity& activity, std::size_t chunk) {
  Presence present{};
  for (int speaker = 0; speaker < kNumLocalSpeakers; ++speaker) {
    present[speaker] = activity.active[chunk][speaker].any();
  }
  return present;
}

Array<double, 2> unit_vectors(const Array<float, 2>& values) {
  Array<double, 2> vectors(
      values.shape(), zeros_on_large_pages<double>(values.values().size()));
  std::ranges::copy(values.values(), vectors.values().begin());
  for (std::size_t row = 0; row < vectors.size(0); ++row) {
    normalize(vectors.row(row));
  }
  return vectors;
}

// What the linkage starts from: local speakers, then pieces, of a second or
// more; the longest piece if there are none.
VectorList training_vectors(const LocalVectors& local,
                            std::span<const EmbeddingSource> pieces,
                            const Array<double, 2>& vectors) {
  VectorList train;
  for (std::size_t chunk = 0; chunk < local.rows.size(); ++chunk) {
    for (int speaker = 0; speaker < kNumLocalSpeakers; ++speaker) {
      if (local.seconds[chunk][speaker] < kLeastTrainSeconds) continue;
      train.push_back(local.values.row(local.rows[chunk][speaker]));
    }
  }
  for (std::size_t piece = 0; piece < pieces.size(); ++piece) {
    if (piece_seconds(pieces[piece]) < kLeastTrainSeconds) continue;
    train.push_back(vectors.row(piece));
  }
  if (train.empty()) {
    const auto longest =
        std::ranges::max_element(pieces, {}, &EmbeddingSource::num_rows);
    train.push_back(vectors.row(longest - pieces.begin()));
  }
  return train;
}

// The unit sums of the vectors of each label.
Array<double, 2> unit_sums(const VectorList& vectors,
                           std::span<const std::int32_t> labels) {
  const auto num_labels =
      static_cast<std::size_t>(*std::ranges::max_element(labels)) + 1;
  Array<double, 2> sums({num_labels, vectors[0].size()}, 0.0);
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    const std::span<double> sum = sums.row(labels[i]);
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += vectors[i][k];
  }
  for (std::size_t label = 0; label < num_labels; ++label) {
    normalize(sums.row(label));
  }
  return sums;
}

// The pieces to refine with: those of half a second or more, all if none is.
WeightedVectors solid_pieces(std::span<const EmbeddingSource> pieces,
                             const Array<double, 2>& vectors) {
  const bool any = std::ranges::any_of(pieces, [](const auto& piece) {
    return piece_seconds(piece) >= kLeastPieceSeconds;
  });
  WeightedVectors solid;
  for (std::size_t piece = 0; piece < pieces.size(); ++piece) {
    const double seconds = piece_seconds(pieces[piece]);
    if (any && seconds < kLeastPieceSeconds) continue;
    solid.vectors.push_back(vectors.row(piece));
    solid.seconds.push_back(seconds);
  }
  return solid;
}

// The clusters of the local speakers of all chunks.
Array<std::int32_t, 2> assign_chunks(const LocalActivity& activity,
                                     const LocalVectors& local,
                                     const Array<double, 2>& centroids) {
  Array<std::int32_t, 2> assignment(
      {activity.num_chunks(), std::size_t{kNumLocalSpeakers}});
  for (std::size_t chunk = 0; chunk < activity.num_chunks(); ++chunk) {
    Array<double, 2> similarity(
        {std::size_t{kNumLocalSpeakers}, centroids.size(0)}, 0.0);
    for (int speaker = 0; speaker < kNumLocalSpeakers; ++speaker) {
      const std::int32_t row = local.rows[chunk][speaker];
      if (row < 0) continue;
      const double weight =
          std::min(local.seconds[chunk][speaker], kMostAssignSeconds);
      const std::span<double> products = similarity.row(speaker);
      dot_rows(local.values.row(row), centroids, products);
      for (double& product : products) product *= weight;
    }
    std::ranges::copy(assign_speakers(similarity, presence(activity, chunk)),
                      assignment.row(chunk).begin());
  }
  return assignment;
}

// The cluster of each piece: that of its local speaker unless another is
// clearly nearer.
std::vector<std::int32_t> label_pieces(
    std::span<const EmbeddingSource> pieces, const Array<double, 2>& vectors,
    const Array<double, 2>& centroids,
    const Array<std::int32_t, 2>& assignment) {
  std::vector<std::int32_t> labels;
  for (std::size_t piece = 0; piece < pieces.size(); ++piece) {
    const std::span<const double> vector = vectors.row(piece);
    const Nearest nearest = nearest_row(vector, centroids);
    const std::int32_t of_chunk =
        assignment(pieces[piece].chunk, pieces[piece].speaker);
    const bool agrees =
        of_chunk >= 0 &&
        nearest.product - dot(vector, centroids.row(of_chunk)) < kPieceMargin;
    labels.push_back(agrees ? of_chunk
                            : static_cast<std::int32_t>(nearest.row));
  }
  return labels;
}

// Speech too short to embed: the first local speaker of every chunk is one and
// the same.
void assume_one_speaker(const LocalActivity& activity,
                        DefaultClustering& result) {
  result.num_clusters = 1;
  for (std::size_t chunk = 0; chunk < activity.num_chunks(); ++chunk) {
    const Presence present = presence(activity, chunk);
    const auto first = std::ranges::find(present, true);
    if (first == present.end()) continue;
    result.assignment(chunk, first - present.begin()) = 0;
  }
}

void cap(SpeakerCount& count, int most) {
  for (std::uint8_t& speakers : count.count) {
    speakers = static_cast<std::uint8_t>(std::min<int>(speakers, most));
  }
}

// The centroids of the clusters that have a label, by label.
Array<double, 2> labelled_centroids(const DefaultClustering& clustering,
                                    std::span<const std::int32_t> labels,
                                    std::size_t dimension) {
  const auto num_labels = static_cast<std::size_t>(
      std::ranges::count_if(labels, [](auto label) { return label >= 0; }));
  Array<double, 2> centroids({num_labels, dimension}, 0.0);
  for (std::size_t cluster = 0; cluster < clustering.centroids.size(0);
       ++cluster) {
    if (labels[cluster] < 0) continue;
    std::ranges::copy(clustering.centroids.row(cluster),
                      centroids.row(labels[cluster]).begin());
  }
  return centroids;
}

void check(const Recording& recording) {
  const auto& sources = recording.embeddings.sources;
  const auto num_chunks = recording.activity.num_chunks();
  const bool fits =
      recording.embeddings.values.size(0) == sources.size() &&
      std::ranges::is_sorted(sources, {}, &EmbeddingSource::cell) &&
      std::ranges::all_of(sources, [&](const EmbeddingSource& source) {
        return static_cast<std::size_t>(source.chunk) < num_chunks &&
               source.cell >= 0;
      });
  if (!fits) throw std::logic_error("DefaultRecipe: not pieces in order");
  if (!std::ranges::all_of(recording.embeddings.values.values(),
                           [](float value) { return std::isfinite(value); })) {
    throw std::runtime_error("the embeddings are not all numbers");
  }
}

}  // namespace

DefaultRecipe::DefaultRecipe(const DefaultRecipeOptions& options)
    : options_(options) {}

ChunkLayout DefaultRecipe::chunk_layout() const {
  ChunkLayout layout;
  layout.hop_samples =
      static_cast<std::int64_t>(std::nearbyint(options_.step * kSampleRate));
  layout.last_chunk = LastChunk::kAligned;
  return layout;
}

std::vector<EmbeddingJob> DefaultRecipe::jobs(
    const Block& block, const LocalActivity& activity) const {
  return cut_pieces(block, activity);
}

DefaultClustering DefaultRecipe::cluster(const Recording& recording,
                                         const SpeakerRequest& request) const {
  check(recording);
  const LocalActivity& activity = recording.activity;
  const std::span<const EmbeddingSource> pieces = recording.embeddings.sources;
  DefaultClustering result;
  result.count = count_speakers(activity);
  result.assignment = Array<std::int32_t, 2>(
      {activity.num_chunks(), std::size_t{kNumLocalSpeakers}}, kInactive);
  const bool speech =
      std::ranges::any_of(result.count.count, [](auto n) { return n > 0; });
  if (!speech) return result;
  if (pieces.empty()) {
    assume_one_speaker(activity, result);
    cap(result.count, 1);
    return result;
  }
  const Array<double, 2> vectors = unit_vectors(recording.embeddings.values);
  const LocalVectors local = make_local_vectors(activity, pieces, vectors);
  const WeightedVectors solid = solid_pieces(pieces, vectors);

  RefineOptions refine;
  refine.merge_threshold = options_.merge_threshold;
  refine.fewest = request.num.value_or(request.min.value_or(1));
  refine.most = request.num.value_or(
      request.max.value_or(std::numeric_limits<int>::max()));
  const VectorList train = training_vectors(local, pieces, vectors);
  result.centroids = refine_centroids(
      unit_sums(train, average_linkage(train, kLinkageDistance)), solid,
      find_rivals(local, result.count), refine);
  result.centroids = add_speakers(result.centroids, solid, refine.fewest);

  result.num_clusters = result.centroids.size(0);
  result.assignment = assign_chunks(activity, local, result.centroids);
  result.piece_labels =
      label_pieces(pieces, vectors, result.centroids, result.assignment);
  for (std::size_t piece = 0; piece < pieces.size(); ++piece) {
    if (piece_seconds(pieces[piece]) < kLeastPieceSeconds) continue;
    result.pieces.push_back(pieces[piece]);
    result.voting_labels.push_back(result.piece_labels[piece]);
  }
  cap(result.count, refine.most);
  return result;
}

Diarization DefaultRecipe::finish(const Recording& recording,
                                  const SpeakerRequest& request,
                                  StageTimes* times) const {
  DefaultClustering clustering;
  {
    const StageTimer timer(times, Stage::kClustering);
    clustering = cluster(recording, request);
  }
  const StageTimer timer(times, Stage::kReconstruction);
  Diarization result;
  result.seconds = sample_time(recording.num_samples);
  const Reconstruction activity =
      reconstruct(clustering.ballot(recording.activity));

  TurnRules options;
  options.min_duration_off = options_.min_duration_off;
  options.min_duration_on = options_.min_duration_on;
  options.end = result.seconds;
  const Turns turns = make_turns(activity.regular, options);
  options.fill_silence_only = true;
  const Turns exclusive = make_turns(activity.exclusive, options);

  const auto labels = labels_by_appearance(turns, clustering.num_clusters);
  result.turns = relabel(turns, labels);
  result.exclusive_turns = relabel(exclusive, labels);
  const std::size_t dimension = recording.embeddings.values.size(1);
  result.centroids = labelled_centroids(clustering, labels, dimension);
  result.num_speakers = static_cast<int>(result.centroids.size(0));
  return result;
}

}  // namespace diarize
