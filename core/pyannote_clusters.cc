#include "core/pyannote_clusters.h"

#include "core/assignment.h"
#include "core/clustering/centroid_linkage.h"
#include "core/clustering/cosine_scores.h"
#include "core/clustering/cut_tree.h"
#include "core/clustering/kmeans.h"
#include "core/clustering/training_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace diarize {
namespace {

Array<std::int32_t, 2> nobody(const LocalActivity& activity) {
  return Array<std::int32_t, 2>({activity.num_chunks(), kNumLocalSpeakers},
                                kInactive);
}

bool is_silent(const LocalActivity& activity, const EmbeddingSource& source) {
  return activity.active[source.chunk][source.speaker].none();
}

// All in cluster 0.
Clusters one_cluster(const LocalActivity& activity,
                     const Embeddings& embeddings,
                     std::span<const std::size_t> rows) {
  Clusters clusters{nobody(activity),
                    cluster_means(embeddings.values, rows,
                                  std::vector<std::int32_t>(rows.size()), 1)};
  for (const EmbeddingSource& source : embeddings.sources) {
    if (is_silent(activity, source)) continue;
    clusters.assignment(source.chunk, source.speaker) = 0;
  }
  return clusters;
}

// Every embedding to its best centroid.
Array<std::int32_t, 2> assign_each(const LocalActivity& activity,
                                   const Embeddings& embeddings,
                                   const CosineScores& scores) {
  Array<std::int32_t, 2> assignment = nobody(activity);
  for (std::size_t row = 0; row < embeddings.sources.size(); ++row) {
    const EmbeddingSource& source = embeddings.sources[row];
    if (is_silent(activity, source)) continue;
    assignment(source.chunk, source.speaker) =
        scores.best(embeddings.values.row(row));
  }
  return assignment;
}

// The embeddings of a chunk to centroids of their own.
Array<std::int32_t, 2> assign_apart(const LocalActivity& activity,
                                    const Embeddings& embeddings,
                                    const CosineScores& scores,
                                    std::size_t num_clusters) {
  Array<std::int32_t, 2> assignment = nobody(activity);
  const auto& sources = embeddings.sources;
  for (std::size_t row = 0; row < sources.size();) {
    const std::int32_t chunk = sources[row].chunk;
    Array<double, 2> similarity({kNumLocalSpeakers, num_clusters});
    std::array<bool, kNumLocalSpeakers> present{};
    for (; row < sources.size() && sources[row].chunk == chunk; ++row) {
      if (is_silent(activity, sources[row])) continue;
      const std::int32_t speaker = sources[row].speaker;
      present[speaker] = true;
      std::ranges::copy(scores.scores(embeddings.values.row(row)),
                        similarity.row(speaker).begin());
    }
    std::ranges::copy(assign_speakers(similarity, present),
                      assignment.row(chunk).begin());
  }
  return assignment;
}

// The rows of the centroids that are numbers.
Array<double, 2> without_empty(const Array<double, 2>& centroids) {
  std::vector<double> values;
  for (std::size_t k = 0; k < centroids.size(0); ++k) {
    const std::span<const double> row = centroids.row(k);
    if (!std::isnan(row[0]))
      values.insert(values.end(), row.begin(), row.end());
  }
  const std::size_t num_kept = values.size() / centroids.size(1);
  return Array<double, 2>({num_kept, centroids.size(1)}, std::move(values));
}

// The number of clusters to force, if `found` is not what is asked for.
std::optional<int> forced_number(int found, const CountBounds& bounds,
                                 int most) {
  std::optional<int> target = bounds.num;
  if (found < bounds.min) target = bounds.min;
  if (found > bounds.max) target = bounds.max;
  if (!target || *target == found) return std::nullopt;
  return std::min(*target, most);
}

Array<double, 2> vbx_centroids(const Embeddings& embeddings,
                               std::span<const std::size_t> rows,
                               const Plda& plda,
                               const VbxClusteringOptions& options) {
  const std::vector<std::int32_t> labels = cut_tree(
      centroid_linkage(unit_rows(embeddings.values, rows)), options.threshold);
  const Array<double, 2> features =
      plda.project(plda.transform(embeddings.values, rows));
  const VbxResult result = vbx(features, plda.phi(), labels, options.vbx);
  return weighted_means(result.gamma, embeddings.values, rows);
}

}  // namespace

Clusters vbx_clusters(const LocalActivity& activity,
                      const Embeddings& embeddings, const Plda& plda,
                      const CountBounds& bounds,
                      const VbxClusteringOptions& options) {
  const std::vector<std::size_t> rows = training_rows(activity, embeddings);
  if (rows.size() < 2) return one_cluster(activity, embeddings, rows);
  Array<double, 2> centroids = vbx_centroids(embeddings, rows, plda, options);
  const std::optional<int> number =
      forced_number(static_cast<int>(centroids.size(0)), bounds,
                    static_cast<int>(rows.size()));
  if (!number) {
    const CosineScores scores(centroids);
    return {assign_apart(activity, embeddings, scores, centroids.size(0)),
            std::move(centroids)};
  }
  const std::vector<std::int32_t> labels =
      kmeans(unit_rows(embeddings.values, rows), *number, KMeansOptions{});
  centroids =
      without_empty(cluster_means(embeddings.values, rows, labels, *number));
  const CosineScores scores(centroids);
  return {assign_each(activity, embeddings, scores), std::move(centroids)};
}

Clusters agglomerative_clusters(const LocalActivity& activity,
                                const Embeddings& embeddings,
                                const CountBounds& bounds,
                                const AgglomerativeOptions& options) {
  const std::vector<std::size_t> rows = training_rows(activity, embeddings);
  const CountBounds limits = limited(bounds, static_cast<int>(rows.size()));
  if (limits.max < 2) return one_cluster(activity, embeddings, rows);
  const std::vector<std::int32_t> labels =
      agglomerative(unit_rows(embeddings.values, rows), limits, options);
  Array<double, 2> centroids = cluster_means(
      embeddings.values, rows, labels, *std::ranges::max_element(labels) + 1);
  const CosineScores scores(centroids);
  return {assign_each(activity, embeddings, scores), std::move(centroids)};
}

}  // namespace diarize
