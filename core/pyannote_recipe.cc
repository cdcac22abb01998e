#include "core/pyannote_recipe.h"

#include "core/clustering/plda.h"
#include "core/error.h"
#include "core/masks.h"
#include "core/pyannote_clusters.h"
#include "core/pyannote_reconstruct.h"
#include "core/speaker_count.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace diarize {
namespace {

std::int64_t hop_samples(double step) {
  const double features = step * kSampleRate / kFeatureHopSamples;
  const double rounded = std::nearbyint(features);
  if (!(rounded >= 1.0 && rounded <= 1000.0 &&
        std::abs(features - rounded) < 1e-6)) {
    throw FatalError(
        "the step of the chunks must be a multiple of 0.01 s up to 10 s");
  }
  return static_cast<std::int64_t>(rounded) * kFeatureHopSamples;
}

void check(const PyannoteOptions& options) {
  if (!(options.threshold >= 0.0 && options.threshold <= 2.0)) {
    throw FatalError("the clustering threshold must be between 0 and 2");
  }
  if (!(options.Fa > 0.0 && options.Fb > 0.0)) {
    throw FatalError("Fa and Fb must be above 0");
  }
  if (options.min_cluster_size < 1) {
    throw FatalError("min_cluster_size must be at least 1");
  }
  if (!(options.min_duration_off >= 0.0)) {
    throw FatalError("min_duration_off must not be negative");
  }
  static_cast<void>(hop_samples(options.step));
}

}  // namespace

PyannoteOptions PyannoteOptions::v3_1() {
  PyannoteOptions options;
  options.clustering = PyannoteClustering::kAgglomerative;
  options.threshold = AgglomerativeOptions{}.threshold;
  return options;
}

PyannoteRecipe::PyannoteRecipe(const PyannoteOptions& options,
                               std::optional<PldaModel> plda)
    : options_(options) {
  check(options_);
  if (options_.clustering != PyannoteClustering::kVbx) return;
  if (!plda) throw FatalError("VBx clustering needs a PLDA model");
  plda_ = std::make_unique<const Plda>(*std::move(plda));
}

PyannoteRecipe::~PyannoteRecipe() = default;

ChunkLayout PyannoteRecipe::chunk_layout() const {
  ChunkLayout layout;
  layout.hop_samples = hop_samples(options_.step);
  layout.last_chunk = LastChunk::kPadded;
  // A chunk is a third of a second of work: small blocks keep all cores busy to
  // the end, and cost little, as neighbours share only filters and features.
  layout.max_chunks_per_block = options_.step < 2.0 ? 8 : 16;
  return layout;
}

std::vector<EmbeddingJob> PyannoteRecipe::jobs(
    const Block& block, const LocalActivity& activity) const {
  return masked_jobs(block, activity, options_.embedding_exclude_overlap);
}

Clusters PyannoteRecipe::cluster(const Recording& recording,
                                 const SpeakerRequest& request) const {
  const CountBounds bounds = bounds_of(request);
  if (options_.clustering == PyannoteClustering::kAgglomerative) {
    return agglomerative_clusters(
        recording.activity, recording.embeddings, bounds,
        {options_.threshold, options_.min_cluster_size});
  }
  VbxClusteringOptions options;
  options.threshold = options_.threshold;
  options.vbx.Fa = options_.Fa;
  options.vbx.Fb = options_.Fb;
  return vbx_clusters(recording.activity, recording.embeddings, *plda_, bounds,
                      options);
}

Diarization PyannoteRecipe::finish(const Recording& recording,
                                   const SpeakerRequest& request,
                                   StageTimes* times) const {
  Diarization result;
  const SpeakerCount count = count_speakers(recording.activity);
  if (std::ranges::any_of(count.count, [](int value) { return value > 0; })) {
    Clusters clusters;
    {
      const StageTimer timer(times, Stage::kClustering);
      clusters = cluster(recording, request);
    }
    const StageTimer timer(times, Stage::kReconstruction);
    result =
        reconstruct_pyannote(recording.activity, count, clusters,
                             bounds_of(request), options_.min_duration_off);
  }
  result.seconds = sample_time(recording.num_samples);
  return result;
}

}  // namespace diarize
