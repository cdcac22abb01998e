#pragma once

#include "core/array.h"
#include "core/clustering/plda_model.h"
#include "core/pyannote_recipe.h"
#include "core/types.h"
#include "io/npz.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace diarize::test {

// Captures of stages of pyannote's pipelines, in the types of the seams.

// Chunks every second. values: (num_chunks, kNumFrames, kNumLocalSpeakers),
// 0 or 1.
template <typename T>
[[nodiscard]] LocalActivity activity_of(const Array<T, 3>& values) {
  LocalActivity activity;
  activity.active.resize(values.size(0));
  for (std::size_t chunk = 0; chunk < values.size(0); ++chunk) {
    activity.chunk_starts.push_back(static_cast<std::int64_t>(chunk) *
                                    kSampleRate);
    for (std::size_t frame = 0; frame < kNumFrames; ++frame) {
      for (int speaker = 0; speaker < kNumLocalSpeakers; ++speaker) {
        activity.active[chunk][speaker][frame] =
            values(chunk, frame, speaker) > T{0};
      }
    }
  }
  return activity;
}

// The embeddings (num_chunks, kNumLocalSpeakers, dimension) of local speakers
// that are active; with `all`, also of silent ones.
[[nodiscard]] Embeddings embeddings_of(const Array<float, 3>& values,
                                       const LocalActivity& activity,
                                       bool all = false);

// One recording with all that was captured of it. What a capture lacks is
// empty.
struct Capture {
  std::string name;
  std::filesystem::path folder;
  LocalActivity activity;
  Array<float, 3> all_embeddings;
  Embeddings embeddings;  // of active local speakers
  std::vector<std::uint8_t> count;
  // Whether `count` was taken after the reference had lowered it to one for
  // the exclusive turns.
  bool count_is_capped = false;

  [[nodiscard]] Recording recording() const;
  [[nodiscard]] bool is_count(const SpeakerCount& found) const;
};

// pyannote.audio 4.0.4 with community-1, from the segmentation on; none where
// the shared data are absent.
[[nodiscard]] std::vector<Capture> findit_captures();

// community-1 by another capture: embeddings, activity, count and turns.
[[nodiscard]] std::vector<Capture> speakrs_captures();

// pyannote.audio 4.0.7 with synthetic embeddings, which both layouts share;
// `folder` is that of community-1.
[[nodiscard]] std::vector<Capture> synthetic_captures();

// That of community-1.
[[nodiscard]] std::optional<PldaModel> community1_plda();

// All text of a file.
[[nodiscard]] std::string text_of(const std::filesystem::path& path);

// Largest absolute difference, infinite if the sizes differ.
[[nodiscard]] double largest_difference(std::span<const double> a,
                                        std::span<const double> b);

// The same of (n, d) up to the sign of each column.
[[nodiscard]] double largest_difference_but_signs(const Array<double, 2>& a,
                                                  const Array<double, 2>& b);

// (num_frames, num_clusters) 0 or 1.
[[nodiscard]] Array<double, 2> frames_of(const SpeakerActivity& activity,
                                         std::size_t num_clusters);

}  // namespace diarize::test
