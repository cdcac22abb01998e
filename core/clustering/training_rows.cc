#include "core/clustering/training_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

namespace diarize {
namespace {

constexpr double kMinActiveRatio = 0.2;  // of the frames of a chunk

// Sum of squares as numpy's pairwise summation orders it.
float sum_of_squares(std::span<const float> values) {
  if (values.size() > 128) {
    const std::size_t half = values.size() / 2 - values.size() / 2 % 8;
    return sum_of_squares(values.first(half)) +
           sum_of_squares(values.subspan(half));
  }
  if (values.size() < 8) {
    float sum = 0.0F;
    for (const float value : values) sum += value * value;
    return sum;
  }
  std::array<float, 8> r{};
  const std::size_t even = values.size() - values.size() % 8;
  for (std::size_t i = 0; i < even; ++i) r[i % 8] += values[i] * values[i];
  float sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
  for (std::size_t i = even; i < values.size(); ++i) {
    sum += values[i] * values[i];
  }
  return sum;
}

}  // namespace

std::vector<std::size_t> training_rows(const LocalActivity& activity,
                                       const Embeddings& embeddings) {
  if (embeddings.values.size(0) != embeddings.sources.size()) {
    throw std::logic_error("training_rows: an embedding has no source");
  }
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < embeddings.sources.size(); ++row) {
    const EmbeddingSource& source = embeddings.sources[row];
    const auto alone = static_cast<double>(
        activity.alone(source.chunk, source.speaker).count());
    if (alone < kMinActiveRatio * kNumFrames) continue;
    if (std::ranges::none_of(embeddings.values.row(row),
                             [](float value) { return std::isnan(value); })) {
      rows.push_back(row);
    }
  }
  return rows;
}

Array<float, 2> unit_rows(const Array<float, 2>& values,
                          std::span<const std::size_t> rows) {
  Array<float, 2> result({rows.size(), values.size(1)});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::span<const float> row = values.row(rows[i]);
    const float norm = std::sqrt(sum_of_squares(row));
    std::ranges::transform(row, result.row(i).begin(),
                           [norm](float value) { return value / norm; });
  }
  return result;
}

Array<double, 2> cluster_means(const Array<float, 2>& values,
                               std::span<const std::size_t> rows,
                               std::span<const std::int32_t> labels,
                               std::size_t num_clusters) {
  Array<float, 2> sums({num_clusters, values.size(1)});
  std::vector<float> counts(num_clusters);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::span<float> sum = sums.row(labels[i]);
    const std::span<const float> row = values.row(rows[i]);
    for (std::size_t d = 0; d < sum.size(); ++d) sum[d] += row[d];
    counts[labels[i]] += 1.0F;
  }
  Array<double, 2> means(sums.shape());
  for (std::size_t cluster = 0; cluster < num_clusters; ++cluster) {
    for (std::size_t d = 0; d < values.size(1); ++d) {
      means(cluster, d) =
          static_cast<double>(sums(cluster, d) / counts[cluster]);
    }
  }
  return means;
}

}  // namespace diarize
