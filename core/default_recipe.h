#pragma once

#include "core/clustering/refine.h"
#include "core/engine/recipe.h"
#include "core/local_vectors.h"
#include "core/types.h"
#include "core/votes.h"

#include <cstdint>
#include <vector>

namespace diarize {

struct DefaultRecipeOptions {
  // Distance of chunks, s, a multiple of 0.01. 2.5 is the preset `balanced`, 5
  // is `fast`.
  double step = 2.5;
  // Corrected cosine above which two centroids are one speaker; higher gives
  // more speakers.
  double merge_threshold = 0.6;
  // Shorter turns are dropped, s; 0 keeps all.
  double min_duration_on = 0.0;
  // Shorter gaps within a speaker are filled first, s; 0 fills none.
  double min_duration_off = 0.0;
};

// What clustering made of a recording: the stages between embeddings and
// turns, for whoever compares or stores them.
struct DefaultClustering {
  SpeakerCount count;                   // not above the most speakers asked for
  Array<double, 2> centroids;           // (num_clusters, dimension)
  Array<std::int32_t, 2> assignment;    // (num_chunks, kNumLocalSpeakers)
  std::vector<EmbeddingSource> pieces;  // that vote
  std::vector<std::int32_t> piece_labels;   // of all pieces
  std::vector<std::int32_t> voting_labels;  // of `pieces`
  std::size_t num_clusters = 0;

  // Refers to this and to `activity`.
  [[nodiscard]] Ballot ballot(const LocalActivity& activity) const {
    return {activity, count, assignment, num_clusters, pieces, voting_labels};
  }
};

// The default set: segmentation-3.0 for the activity of local speakers, CAM++
// for vectors of pieces of at most 1.5 s. A linkage of pieces and local
// speakers gives first clusters, the refinement over pieces makes speakers of
// them, and pieces overrule chunks where they clearly differ.
class DefaultRecipe : public Recipe {
 public:
  explicit DefaultRecipe(const DefaultRecipeOptions& options);

  [[nodiscard]] ChunkLayout chunk_layout() const override;

  [[nodiscard]] std::vector<EmbeddingJob> jobs(
      const Block& block, const LocalActivity& activity) const override;

  // Where speech is too short to embed any of it there is one speaker, without
  // a centroid (zeros). Fewer speakers than asked for come back where there
  // are not enough pieces of speech. Throws std::logic_error if the pieces do
  // not fit the chunks.
  using Recipe::finish;
  [[nodiscard]] Diarization finish(const Recording& recording,
                                   const SpeakerRequest& request,
                                   StageTimes* times) const override;

  // All of `finish` but the reconstruction. There are no clusters where nobody
  // speaks.
  [[nodiscard]] DefaultClustering cluster(const Recording& recording,
                                          const SpeakerRequest& request) const;

 private:
  DefaultRecipeOptions options_;
};

}  // namespace diarize
