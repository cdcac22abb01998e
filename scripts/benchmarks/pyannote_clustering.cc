// Time of all that pyannote's pipelines do after the networks.
//
//   bench_pyannote_clustering PLDA_FOLDER [EMBEDDINGS...]
//
// Makes recordings with so many embeddings of 256, noisy vectors around eight
// speakers, three to a chunk, and finishes them with the clustering of
// community-1 and of 3.1, with and without a number asked for (one more; left
// out for many embeddings, which take minutes each time).
// Prints a Markdown table of seconds, on all cores, and the peak memory of the
// process. It only grows, so numbers should ascend. Exits 1 if the speakers are
// not found.

#include "core/pyannote_recipe.h"
#include "io/plda_file.h"

#include <chrono>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <random>
#include <vector>

#include "scripts/benchmarks/peak_memory.h"

namespace {

constexpr std::size_t kDimension = 256;
constexpr int kSpeakers = 8;
constexpr int kFramesEach = diarize::kNumFrames / diarize::kNumLocalSpeakers;
constexpr std::size_t kMostWithNumber = 32000;
constexpr float kNoise = 0.45F;  // of the length of a speaker's mean

diarize::Recording make_recording(std::size_t num_embeddings,
                                  std::size_t num_speakers) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  diarize::Array<float, 2> means({num_speakers, kDimension});
  for (float& value : means.values()) value = normal(random);
  diarize::Recording recording;
  recording.embeddings.values =
      diarize::Array<float, 2>({num_embeddings, kDimension});
  for (std::size_t i = 0; i < num_embeddings; ++i) {
    const auto chunk =
        static_cast<std::int32_t>(i / diarize::kNumLocalSpeakers);
    const auto local = static_cast<int>(i % diarize::kNumLocalSpeakers);
    if (local == 0) {
      recording.activity.chunk_starts.push_back(
          static_cast<std::int64_t>(chunk) * diarize::kSampleRate);
      recording.activity.active.emplace_back();
    }
    for (int frame = 0; frame < kFramesEach; ++frame) {
      recording.activity.active.back()[local][local * kFramesEach + frame] =
          true;
    }
    // Speakers take turns, so that those of a chunk differ.
    const std::size_t speaker = (chunk / 5 + local) % num_speakers;
    for (std::size_t d = 0; d < kDimension; ++d) {
      recording.embeddings.values(i, d) =
          means(speaker, d) + kNoise * normal(random);
    }
    recording.embeddings.sources.push_back({chunk, local, -1, 0});
  }
  recording.num_samples =
      recording.activity.chunk_starts.back() + diarize::kChunkSamples;
  return recording;
}

// Seconds; ends the program if the speakers are not found unasked.
double measure(const diarize::PyannoteRecipe& recipe,
               const diarize::Recording& recording,
               const diarize::SpeakerRequest& request) {
  const auto start = std::chrono::steady_clock::now();
  const diarize::Diarization result = recipe.finish(recording, request);
  const std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - start;
  if (!request.num && result.num_speakers != kSpeakers) {
    std::cerr << kSpeakers << " speakers expected, " << result.num_speakers
              << " found\n";
    std::exit(1);
  }
  return elapsed.count();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: bench_pyannote_clustering PLDA_FOLDER "
                 "[EMBEDDINGS...]\n";
    return 2;
  }
  std::vector<std::size_t> sizes;
  for (int i = 2; i < argc; ++i) {
    sizes.push_back(std::strtoul(argv[i], nullptr, 10));
  }
  if (sizes.empty()) sizes = {1000, 4000, 16000};
  const diarize::PyannoteRecipe community1(diarize::PyannoteOptions{},
                                           diarize::read_plda(argv[1]));
  const diarize::PyannoteRecipe v3_1(diarize::PyannoteOptions::v3_1());
  const diarize::SpeakerRequest one_more{kSpeakers + 1, {}, {}};
  std::cout << "| embeddings | community-1, s | with a number, s | 3.1, s | "
               "3.1 with a number, s | peak MB |\n|---|---|---|---|---|---|\n"
            << std::fixed << std::setprecision(2);
  for (const std::size_t size : sizes) {
    const diarize::Recording recording = make_recording(size, kSpeakers);
    std::cout << "| " << size;
    for (const auto* recipe : {&community1, &v3_1}) {
      std::cout << " | " << measure(*recipe, recording, {}) << " | ";
      if (size <= kMostWithNumber) {
        std::cout << measure(*recipe, recording, one_more);
      } else {
        std::cout << "-";
      }
    }
    std::cout << " | " << diarize::bench::peak_megabytes() << " |\n"
              << std::flush;
  }
  return 0;
}
