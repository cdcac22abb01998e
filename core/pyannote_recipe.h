#pragma once

#include "core/clustering/plda_model.h"
#include "core/engine/recipe.h"

#include <memory>
#include <optional>

namespace diarize {

class Plda;

// How pyannote's pipelines cluster.
enum class PyannoteClustering {
  kVbx,            // community-1: VBxClustering
  kAgglomerative,  // 3.1: AgglomerativeClustering with centroid linkage
};

// The parameters of a pyannote config.yaml; the defaults are those of
// pyannote/speaker-diarization-community-1.
struct PyannoteOptions {
  PyannoteClustering clustering = PyannoteClustering::kVbx;
  // Distance of unit vectors, 0..2, within which embeddings are one speaker.
  double threshold = 0.6;
  double Fa = 0.07;  // of VBx
  double Fb = 0.8;   // of VBx
  // Fewest embeddings of a speaker; of agglomerative clustering.
  int min_cluster_size = 12;
  // Gaps of a speaker that are shorter are filled, s.
  double min_duration_off = 0.0;
  // Whether embeddings leave out frames in which others speak too.
  bool embedding_exclude_overlap = true;
  // Distance of the chunks, s, a multiple of 0.01.
  double step = 1.0;

  // Those of pyannote/speaker-diarization-3.1.
  [[nodiscard]] static PyannoteOptions v3_1();
};

// The host side of pyannote's pipelines community-1 and 3.1, which gives, from
// the same activity and embeddings, the turns of pyannote.audio 4.0.7.
// Immutable, so threads may share it.
//
// Not given by that: an answer given back as --num-speakers need not repeat
// itself. pyannote's number asks for clusters, its answer counts labels, and
// the two differ where a cluster has no turn, or where more speak at once than
// there are clusters.
class PyannoteRecipe : public Recipe {
 public:
  // The PLDA model is for VBx alone. Throws FatalError if it is missing then,
  // or if an option is out of range.
  explicit PyannoteRecipe(const PyannoteOptions& options,
                          std::optional<PldaModel> plda = std::nullopt);
  ~PyannoteRecipe() override;

  [[nodiscard]] ChunkLayout chunk_layout() const override;
  [[nodiscard]] std::vector<EmbeddingJob> jobs(
      const Block& block, const LocalActivity& activity) const override;
  using Recipe::finish;
  [[nodiscard]] Diarization finish(const Recording& recording,
                                   const SpeakerRequest& request,
                                   StageTimes* times) const override;

  // Which local speaker is who; what finish() starts from.
  [[nodiscard]] Clusters cluster(const Recording& recording,
                                 const SpeakerRequest& request) const;

 private:
  PyannoteOptions options_;
  std::unique_ptr<const Plda> plda_;  // none for agglomerative clustering
};

}  // namespace diarize
