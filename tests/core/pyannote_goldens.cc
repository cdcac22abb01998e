#include "tests/core/pyannote_goldens.h"

#include "io/plda_file.h"
#include "tests/support/shared_data.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

namespace diarize::test {
namespace {

Capture capture(std::string name, const std::filesystem::path& folder,
                LocalActivity activity, Array<float, 3> embeddings,
                std::vector<std::uint8_t> count) {
  Embeddings active = embeddings_of(embeddings, activity);
  return {std::move(name),     folder,
          std::move(activity), std::move(embeddings),
          std::move(active),   std::move(count)};
}

}  // namespace

Embeddings embeddings_of(const Array<float, 3>& values,
                         const LocalActivity& activity, bool all) {
  Embeddings embeddings;
  std::vector<float> kept;
  const std::size_t dimension = values.size(2);
  for (std::size_t chunk = 0; chunk < values.size(0); ++chunk) {
    for (int speaker = 0; speaker < kNumLocalSpeakers; ++speaker) {
      if (!all && activity.active[chunk][speaker].none()) continue;
      const auto row =
          values.row(chunk).subspan(speaker * dimension, dimension);
      kept.insert(kept.end(), row.begin(), row.end());
      EmbeddingSource source;
      source.chunk = static_cast<std::int32_t>(chunk);
      source.speaker = speaker;
      embeddings.sources.push_back(source);
    }
  }
  embeddings.values =
      Array<float, 2>({embeddings.sources.size(), dimension}, std::move(kept));
  return embeddings;
}

Recording Capture::recording() const {
  Recording result;
  result.activity = activity;
  result.embeddings = embeddings;
  result.num_samples = activity.chunk_starts.back() + kChunkSamples;
  return result;
}

bool Capture::is_count(const SpeakerCount& found) const {
  const int most = count_is_capped ? 1 : kNumLocalSpeakers;
  return std::ranges::equal(found.count, count, {},
                            [=](int value) { return std::min(value, most); });
}

std::vector<Capture> findit_captures() {
  std::vector<Capture> captures;
  for (const std::string name :
       {"findit_01_dialogue", "findit_02_pyannote_sample",
        "findit_03_dual_speaker", "findit_04_three_speaker",
        "findit_06_long_recording"}) {
    const auto folder = shared_data("data/stages/" + name);
    if (!folder) continue;
    const NpzFile reconstruction(*folder / "reconstruction.npz");
    captures.push_back(capture(
        name, *folder,
        activity_of(NpzFile(*folder / "segmentations.npz")
                        .array<float, 3>("segmentations")),
        NpzFile(*folder / "raw_embeddings.npz").array<float, 3>("embeddings"),
        reconstruction.values<std::uint8_t>("count")));
  }
  return captures;
}

std::vector<Capture> speakrs_captures() {
  std::vector<Capture> captures;
  const auto folder = shared_data("data/stages/speakrs");
  if (!folder) return captures;
  for (const std::string name : {"pipeline", "short", "single_speaker"}) {
    const auto file = [&](const std::string& what) {
      return NpzFile(*folder / (name + "_" + what + "_data.npy"));
    };
    captures.push_back(capture(
        name, *folder,
        activity_of(
            file("segmentation").array<float, 3>(name + "_segmentation_data")),
        file("embeddings").array<float, 3>(name + "_embeddings_data"),
        file("speaker_counting")
            .values<std::uint8_t>(name + "_speaker_counting_data")));
  }
  return captures;
}

std::vector<Capture> synthetic_captures() {
  std::vector<Capture> captures;
  const auto root = shared_data("goldens/pyannote_synthetic/community1");
  if (!root) return captures;
  std::vector<std::filesystem::path> folders(
      std::filesystem::directory_iterator(*root), {});
  std::ranges::sort(folders);
  for (const std::filesystem::path& folder : folders) {
    const NpzFile front(folder / "front.npz");
    captures.push_back(
        capture(folder.filename(), folder,
                activity_of(front.array<std::uint8_t, 3>("activity")),
                front.array<float, 3>("embeddings"),
                front.values<std::uint8_t>("count")));
    captures.back().count_is_capped = true;
  }
  return captures;
}

std::optional<PldaModel> community1_plda() {
  const auto folder = shared_data("data/models/community1_plda");
  if (!folder) return std::nullopt;
  return read_plda(*folder);
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

double largest_difference(std::span<const double> a,
                          std::span<const double> b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(a[i] - b[i]));
  }
  return largest;
}

double largest_difference_but_signs(const Array<double, 2>& a,
                                    const Array<double, 2>& b) {
  if (a.shape() != b.shape()) return std::numeric_limits<double>::infinity();
  double largest = 0.0;
  for (std::size_t column = 0; column < a.size(1); ++column) {
    double same = 0.0;
    double opposite = 0.0;
    for (std::size_t row = 0; row < a.size(0); ++row) {
      same = std::max(same, std::abs(a(row, column) - b(row, column)));
      opposite = std::max(opposite, std::abs(a(row, column) + b(row, column)));
    }
    largest = std::max(largest, std::min(same, opposite));
  }
  return largest;
}

Array<double, 2> frames_of(const SpeakerActivity& activity,
                           std::size_t num_clusters) {
  Array<double, 2> frames(
      {static_cast<std::size_t>(activity.num_frames), num_clusters});
  for (const ActiveRun& run : activity.runs) {
    for (std::int64_t t = run.first_frame; t < run.end_frame; ++t) {
      frames(t, run.cluster) = 1.0;
    }
  }
  return frames;
}

}  // namespace diarize::test
