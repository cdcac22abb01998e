#pragma once

#include "core/clustering/agglomerative.h"
#include "core/clustering/plda.h"
#include "core/clustering/vbx.h"
#include "core/count_bounds.h"
#include "core/types.h"

namespace diarize {

// Which local speaker is who, as pyannote.audio 4.0 finds it. Of a recording
// only the activity and the embeddings are looked at.
//
// All embeddings are assigned, but only those of training_rows() are
// clustered. With too few of these every active local speaker belongs to
// cluster 0, whose centroid is the mean of what there is: NaN if there is
// nothing. Silent local speakers get kInactive.

// What VBxClustering (community-1) does.
struct VbxClusteringOptions {
  double threshold = 0.6;  // distance of unit vectors where the tree is cut
  VbxOptions vbx;
};

// Centroid linkage, cut into too many clusters; VBx drops those it can do
// without. Centroids are means of the embeddings by responsibility, and the
// local speakers of a chunk go to different ones so that the scores are the
// greatest in sum; with fewer clusters than active local speakers some get
// kInactive.
//
// If the number of clusters is not the one asked for, k-means with that number
// replaces them, and local speakers go to the best centroid each, which they
// may share. Departures: a number above that of training embeddings is
// lowered to it where the reference fails, and clusters that k-means leaves
// empty (repeated embeddings) are left out, where the reference assigns
// everybody to the first of them.
[[nodiscard]] Clusters vbx_clusters(const LocalActivity& activity,
                                    const Embeddings& embeddings,
                                    const Plda& plda, const CountBounds& bounds,
                                    const VbxClusteringOptions& options);

// What AgglomerativeClustering (3.1) does: agglomerative() on unit vectors,
// centroids are means of the embeddings, and every local speaker goes to the
// best, which several of a chunk may share.
[[nodiscard]] Clusters agglomerative_clusters(
    const LocalActivity& activity, const Embeddings& embeddings,
    const CountBounds& bounds, const AgglomerativeOptions& options);

}  // namespace diarize
