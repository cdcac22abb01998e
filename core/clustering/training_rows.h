#pragma once

#include "core/array.h"
#include "core/types.h"

#include <cstddef>
#include <span>
#include <vector>

namespace diarize {

// Which embeddings are clustered: those of local speakers that are alone in at
// least a fifth of the frames of their chunk, and whose values are numbers
// (pyannote.audio 4.0, BaseClustering.filter_embeddings). All others are only
// assigned to the clusters found. Returns ascending rows of
// `embeddings.values`. Cost: linear in the number of embeddings.
[[nodiscard]] std::vector<std::size_t> training_rows(
    const LocalActivity& activity, const Embeddings& embeddings);

// Some rows of `values`, each divided by its Euclidean norm. In float32 and
// with the additions in numpy's order (pairwise, eight partial sums), so that
// the result is bit for bit that of `x / np.linalg.norm(x, axis=1)`.
[[nodiscard]] Array<float, 2> unit_rows(const Array<float, 2>& values,
                                        std::span<const std::size_t> rows);

// (num_clusters, dimension) mean of some rows of `values` for each cluster;
// labels[i] is the cluster of row rows[i]. In float32, row after row, as
// numpy's mean over the first axis; NaN where a cluster has no member.
[[nodiscard]] Array<double, 2> cluster_means(
    const Array<float, 2>& values, std::span<const std::size_t> rows,
    std::span<const std::int32_t> labels, std::size_t num_clusters);

}  // namespace diarize
