// Time and memory of all that follows the networks, by length of recording.
//
//   build/release/scripts/benchmarks/bench_clustering [MINUTES...]
//
// Prints a Markdown table of synthetic recordings: pieces, speakers and turns
// found, seconds and processor seconds of clustering on all cores, seconds of
// reconstruction (one thread), and the peak memory of the process, before and
// after. It only grows, so lengths should ascend.

#include "core/default_recipe.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "scripts/benchmarks/peak_memory.h"
#include "scripts/benchmarks/synthetic_recording.h"

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void measure(double minutes) {
  diarize::bench::RecordingOptions options;
  options.minutes = minutes;
  const diarize::Recording recording = diarize::bench::make_recording(options);
  const double before = diarize::bench::peak_megabytes();
  const diarize::DefaultRecipe recipe{diarize::DefaultRecipeOptions{}};
  const std::clock_t processor = std::clock();
  auto start = Clock::now();
  const auto clustering = recipe.cluster(recording, {});
  const double clustering_seconds = seconds_since(start);
  const double processor_seconds =
      static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC;
  start = Clock::now();
  const auto activity = reconstruct(clustering.ballot(recording.activity));
  const double reconstruction_seconds = seconds_since(start);
  fmt::print(
      "| {:g} | {} | {} | {} | {:.3f} | {:.3f} | {:.3f} | {:.0f} | {:.0f} |\n",
      minutes, recording.embeddings.sources.size(), clustering.num_clusters,
      activity.regular.runs.size(), clustering_seconds, processor_seconds,
      reconstruction_seconds, before, diarize::bench::peak_megabytes());
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<double> lengths;
  for (int i = 1; i < argc; ++i) lengths.push_back(std::atof(argv[i]));
  if (lengths.empty()) lengths = {10, 30, 60, 120, 300, 600};
  fmt::print(
      "| minutes | pieces | speakers | turns | clustering, s | "
      "processor, s | reconstruction, s | MB before | peak MB |\n"
      "|---|---|---|---|---|---|---|---|---|\n");
  for (const double minutes : lengths) measure(minutes);
}
