// Time of all that pyannote's pipelines do after the networks.
//
// usage: bench_pyannote_clustering EMBEDDINGS SPEAKERS PLDA_FOLDER
//
// Makes a recording with that many embeddings of 256, noisy vectors around
// the speakers, three to a chunk, and finishes it with the clustering of
// community-1 and of 3.1, with and without a number asked for. Prints the
// seconds and the number of speakers found; /usr/bin/time -v tells the memory.

#include "core/pyannote_recipe.h"
#include "io/plda_file.h"

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <vector>

namespace {

constexpr std::size_t kDimension = 256;
constexpr int kFramesEach = diarize::kNumFrames / diarize::kNumLocalSpeakers;
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

void measure(const std::string& name, const diarize::PyannoteRecipe& recipe,
             const diarize::Recording& recording,
             const diarize::SpeakerRequest& request) {
  const auto start = std::chrono::steady_clock::now();
  const diarize::Diarization result = recipe.finish(recording, request);
  const std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - start;
  std::cout << name << ": " << elapsed.count() << " s, " << result.num_speakers
            << " speakers, " << result.turns.size() << " turns\n";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: bench_pyannote_clustering EMBEDDINGS SPEAKERS "
                 "PLDA_FOLDER\n";
    return 2;
  }
  const std::size_t num_speakers = std::strtoul(argv[2], nullptr, 10);
  const diarize::Recording recording =
      make_recording(std::strtoul(argv[1], nullptr, 10), num_speakers);
  const int number = static_cast<int>(num_speakers);
  const diarize::PyannoteRecipe community1(diarize::PyannoteOptions{},
                                           diarize::read_plda(argv[3]));
  measure("community-1", community1, recording, {});
  measure("community-1, number", community1, recording, {number + 1, {}, {}});
  const diarize::PyannoteRecipe v3_1(diarize::PyannoteOptions::v3_1());
  measure("3.1", v3_1, recording, {});
  measure("3.1, number", v3_1, recording, {number + 1, {}, {}});
  return 0;
}
