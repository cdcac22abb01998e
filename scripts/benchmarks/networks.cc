// Speed of the networks on one core, as a share of the arithmetic peak measured
// in between: those of the default set, and of a pyannote pipeline where its
// directory is given.
//
//   bench_networks [MODEL_DIRECTORY [PYANNOTE_DIRECTORY]]   (models/default)
//
// Operations are counted as the published layers have them, whatever is shared
// or folded: 2.636e9 a chunk of PyanNet; 2 * 2388480 a row and 2 * 5947392 a
// half-rate frame of CAM++; 45.226e9 a chunk of the ResNet34 trunk. Times are
// those of the thread, best of several.

#include "core/nn/load_networks.h"
#include "io/checkpoint.h"

#include <malloc.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "scripts/benchmarks/fma_peak.h"

namespace diarize::bench {
namespace {

constexpr double kChunkOperations = 2.636e9;
constexpr double kRowOperations = 2.0 * 2388480;
constexpr double kFrameOperations = 2.0 * 5947392;
constexpr double kTrunkOperations = 45.226e9;

// A block of noise with chunks `hop` samples apart.
Block make_block(int num_chunks, std::int64_t hop) {
  Block block;
  for (int i = 0; i < num_chunks; ++i) block.chunk_starts.push_back(i * hop);
  block.samples.resize(block.chunk_starts.back() + kChunkSamples);
  std::mt19937 random(1);
  std::normal_distribution<float> value(0.0F, 0.05F);
  for (float& sample : block.samples) sample = value(random);
  block.recording_end = static_cast<std::int64_t>(block.samples.size());
  return block;
}

double piece_operations(std::size_t rows) {
  return kRowOperations * static_cast<double>(rows) +
         kFrameOperations * static_cast<double>((rows + 1) / 2);
}

// Runs `work` a few times, with the peak measured around each, and prints the
// best.
void report(const std::string& name, int items, double operations,
            const std::function<void()>& work) {
  work();
  double best_share = 0.0;
  double best_seconds = 1e9;
  double peak_seen = 0.0;
  for (int run = 0; run < 7; ++run) {
    const double peak_before = measure_fma_peak();
    const double begin = thread_seconds();
    work();
    const double seconds = thread_seconds() - begin;
    const double peak = std::max(peak_before, measure_fma_peak());
    best_seconds = std::min(best_seconds, seconds);
    best_share = std::max(best_share, operations / seconds / 1e9 / peak);
    peak_seen = std::max(peak_seen, peak);
  }
  std::printf("%-34s %8.3f ms each  %6.1f GFLOP/s  %5.1f %% of %.0f\n",
              name.c_str(), 1e3 * best_seconds / items,
              operations / best_seconds / 1e9, 100.0 * best_share, peak_seen);
  std::fflush(stdout);
}

void bench_segmentation(NetworkWorker& worker) {
  for (const auto& [num_chunks, seconds] :
       {std::pair{32, 1.0}, {32, 2.5}, {32, 5.0}, {1, 2.5}}) {
    const Block block = make_block(
        num_chunks, static_cast<std::int64_t>(seconds * kSampleRate));
    const std::vector<const Block*> blocks = {&block};
    char name[80];
    std::snprintf(name, sizeof(name), "PyanNet, %d chunks every %.1f s",
                  num_chunks, seconds);
    report(name, num_chunks, num_chunks * kChunkOperations,
           [&] { (void)worker.segment(blocks); });
  }
}

void bench_pieces(NetworkWorker& worker, const std::string& name,
                  std::span<const int> lengths) {
  const Block block = make_block(1, 0);
  const std::vector<const Block*> blocks = {&block};
  std::vector<std::vector<EmbeddingJob>> jobs(1);
  double operations = 0.0;
  for (const int length : lengths) {
    jobs[0].emplace_back();
    for (int row = 0; row < length; ++row) jobs[0].back().rows.push_back(row);
    operations += piece_operations(length);
  }
  report(name, static_cast<int>(lengths.size()), operations,
         [&] { (void)worker.embed(blocks, jobs); });
}

// Whole chunks, two local speakers each: features, trunk, pooling, projection.
void bench_trunk(NetworkWorker& worker, int num_chunks) {
  const Block block = make_block(num_chunks, kSampleRate);
  const std::vector<const Block*> blocks = {&block};
  std::vector<std::vector<EmbeddingJob>> jobs(1);
  for (int chunk = 0; chunk < num_chunks; ++chunk) {
    for (int speaker = 0; speaker < 2; ++speaker) {
      EmbeddingJob job;
      job.source = {.chunk = chunk, .speaker = speaker};
      for (int frame = speaker; frame < kNumFrames; frame += 2) {
        job.mask.set(frame);
      }
      jobs[0].push_back(job);
    }
  }
  report("ResNet34, " + std::to_string(num_chunks) + " chunks", num_chunks,
         num_chunks * kTrunkOperations,
         [&] { (void)worker.embed(blocks, jobs); });
}

void run_pyannote(const std::filesystem::path& directory) {
  const auto read = [&](const char* part) {
    Checkpoint checkpoint =
        read_checkpoint(directory / part / "pytorch_model.bin");
    return NetworkWeights{checkpoint.architecture.value().class_name,
                          std::move(checkpoint.weights)};
  };
  const auto networks = load_networks(read("segmentation"), read("embedding"));
  const auto worker = networks->make_worker();
  for (const int num_chunks : {1, 8}) bench_trunk(*worker, num_chunks);
}

void run(const std::filesystem::path& models) {
  const auto networks = load_default_networks(
      read_checkpoint(models / "pytorch_model.bin").weights,
      read_checkpoint(models / "campplus_cn_en_common.pt").weights);
  const auto worker = networks->make_worker();
  bench_segmentation(*worker);
  bench_pieces(*worker, "CAM++, 32 pieces of 150 rows",
               std::vector<int>(32, 150));
  bench_pieces(*worker, "CAM++, 1 piece of 150 rows", std::vector<int>{150});
  std::vector<int> mixed;
  for (int i = 0; i < 32; ++i) mixed.push_back(i % 2 == 0 ? 150 : 22 + 4 * i);
  bench_pieces(*worker, "CAM++, 16 of 150, 16 of 26 to 146", mixed);
  bench_pieces(*worker, "CAM++, 2 pieces of 998 rows",
               std::vector<int>{998, 998});
}

}  // namespace
}  // namespace diarize::bench

int main(int argc, char** argv) {
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  mallopt(M_TOP_PAD, 64 << 20);
  mallopt(M_ARENA_MAX, 1);
  diarize::bench::run(argc > 1 ? argv[1] : "models/default");
  if (argc > 2) diarize::bench::run_pyannote(argv[2]);
  return 0;
}
