// Runs recordings through a pyannote pipeline directory and writes what each
// stage gives, one .npy an array, for scripts/parity to compare.
//
//   dump_stages MODEL_DIR OUT_DIR AUDIO...
//
// OUT_DIR/STEM/ gets waveform (num_samples), log_probabilities (num_chunks,
// 589, 7), activity (num_chunks, 589, 3), count (num_output_frames),
// embeddings (num_chunks, 3, dimension; NaN for silent local speakers), and
// turns.rttm and exclusive.rttm.

#include "cli/pipeline.h"
#include "core/array.h"
#include "core/engine/block_cutter.h"
#include "core/engine/recording_gatherer.h"
#include "core/powerset.h"
#include "core/speaker_count.h"
#include "io/decoder.h"
#include "io/model_directory.h"
#include "io/rttm.h"

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using diarize::Array;

// numpy's name of the type of the values.
template <typename T>
constexpr const char* kDtype = nullptr;
template <>
constexpr const char* kDtype<float> = "<f4";
template <>
constexpr const char* kDtype<std::uint8_t> = "|u1";

// Version 1.0 of the format of numpy.save.
template <typename T, std::size_t N>
void write_npy(const fs::path& path, const Array<T, N>& array) {
  std::string shape;
  for (const std::size_t size : array.shape()) {
    shape += std::to_string(size) + ",";
  }
  std::string header = std::string("{'descr': '") + kDtype<T> +
                       "', 'fortran_order': False, 'shape': (" + shape + ")}";
  header.resize((header.size() + 11 + 63) / 64 * 64 - 11, ' ');
  header += '\n';
  std::ofstream file(path, std::ios::binary);
  file.write("\x93NUMPY\x01\x00", 8);
  const auto size = static_cast<unsigned>(header.size());
  file.put(static_cast<char>(size & 0xFF)).put(static_cast<char>(size >> 8));
  file << header;
  file.write(reinterpret_cast<const char*>(array.data()),
             static_cast<std::streamsize>(array.values().size() * sizeof(T)));
  if (!file) throw std::runtime_error(path.string() + ": cannot be written");
}

std::vector<float> decode(const fs::path& path) {
  std::vector<float> waveform;
  (void)diarize::decode_file(path, {}, [&](std::span<const float> samples) {
    waveform.insert(waveform.end(), samples.begin(), samples.end());
  });
  return waveform;
}

// What the networks give for a recording.
struct NetworkStages {
  std::vector<float> log_probabilities;
  diarize::Recording recording;
};

NetworkStages run_networks(const diarize::Pipeline& pipeline,
                           const std::vector<float>& waveform) {
  NetworkStages stages;
  diarize::BlockCutter cutter(pipeline.recipe->chunk_layout());
  std::vector<diarize::Block> blocks = cutter.push(waveform);
  for (diarize::Block& block : cutter.finish()) {
    blocks.push_back(std::move(block));
  }
  const auto worker = pipeline.networks->make_worker();
  diarize::RecordingGatherer gatherer;
  for (const diarize::Block& block : blocks) {
    const std::vector<const diarize::Block*> one = {&block};
    const auto scores = worker->segment(one);
    const auto values = scores.front().values();
    stages.log_probabilities.insert(stages.log_probabilities.end(),
                                    values.begin(), values.end());
    diarize::BlockResult result;
    result.activity =
        diarize::decode_powerset(scores.front(), block.chunk_starts);
    const std::vector<std::vector<diarize::EmbeddingJob>> jobs = {
        pipeline.recipe->jobs(block, result.activity)};
    for (const auto& job : jobs.front()) result.sources.push_back(job.source);
    result.embeddings = std::move(worker->embed(one, jobs).front());
    gatherer.add(block.index, std::move(result));
  }
  stages.recording = gatherer.take(static_cast<std::int64_t>(waveform.size()));
  return stages;
}

Array<std::uint8_t, 3> activity_array(const diarize::LocalActivity& activity) {
  Array<std::uint8_t, 3> result(
      {activity.num_chunks(), diarize::kNumFrames, diarize::kNumLocalSpeakers});
  for (std::size_t chunk = 0; chunk < activity.num_chunks(); ++chunk) {
    for (std::size_t frame = 0; frame < diarize::kNumFrames; ++frame) {
      for (std::size_t speaker = 0; speaker < diarize::kNumLocalSpeakers;
           ++speaker) {
        result(chunk, frame, speaker) =
            activity.active[chunk][speaker].test(frame) ? 1 : 0;
      }
    }
  }
  return result;
}

Array<float, 3> embedding_array(const diarize::Recording& recording,
                                std::size_t dimension) {
  Array<float, 3> result(
      {recording.activity.num_chunks(), diarize::kNumLocalSpeakers, dimension},
      std::numeric_limits<float>::quiet_NaN());
  const auto& embeddings = recording.embeddings;
  for (std::size_t job = 0; job < embeddings.sources.size(); ++job) {
    for (std::size_t i = 0; i < dimension; ++i) {
      result(embeddings.sources[job].chunk, embeddings.sources[job].speaker,
             i) = embeddings.values(job, i);
    }
  }
  return result;
}

void write_text(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

void dump(const diarize::Pipeline& pipeline, const fs::path& audio,
          const fs::path& folder) {
  fs::create_directories(folder);
  const std::vector<float> waveform = decode(audio);
  write_npy(folder / "waveform.npy",
            Array<float, 1>({waveform.size()}, waveform));
  NetworkStages stages = run_networks(pipeline, waveform);
  const diarize::Recording& recording = stages.recording;
  write_npy(folder / "log_probabilities.npy",
            Array<float, 3>({recording.activity.num_chunks(),
                             diarize::kNumFrames, diarize::kNumClasses},
                            std::move(stages.log_probabilities)));
  write_npy(folder / "activity.npy", activity_array(recording.activity));
  const auto count = diarize::count_speakers(recording.activity).count;
  write_npy(folder / "count.npy",
            Array<std::uint8_t, 1>({count.size()}, count));
  write_npy(
      folder / "embeddings.npy",
      embedding_array(recording, pipeline.networks->embedding_dimension()));
  const diarize::Diarization result = pipeline.recipe->finish(recording, {});
  const std::string file_id = audio.stem().string();
  write_text(folder / "turns.rttm", diarize::rttm_text(result.turns, file_id));
  write_text(folder / "exclusive.rttm",
             diarize::rttm_text(result.exclusive_turns, file_id));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::cerr << "usage: dump_stages MODEL_DIR OUT_DIR AUDIO...\n";
    return 2;
  }
  try {
    const diarize::Pipeline pipeline =
        diarize::load_pipeline(diarize::read_model_directory(argv[1]), {}, {});
    for (int i = 3; i < argc; ++i) {
      const fs::path audio = argv[i];
      dump(pipeline, audio, fs::path(argv[2]) / audio.stem());
    }
  } catch (const std::exception& error) {
    std::cerr << "dump_stages: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
