// Time and memory of the default recipe's linkage, by number of embeddings: the
// pieces of a second or more of a synthetic recording.
//
//   build/release/scripts/benchmarks/bench_average_linkage [EMBEDDINGS...]
//
// Prints a Markdown table: clusters found, seconds on all cores and processor
// seconds, and the peak memory of the process. It only grows, so numbers should
// ascend.

#include "core/clustering/average_linkage.h"

#include "core/pieces.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <span>
#include <vector>

#include "scripts/benchmarks/peak_memory.h"
#include "scripts/benchmarks/synthetic_recording.h"

namespace {

constexpr double kMinutesEach = 0.035;  // more than an embedding stands for
// As the recipe has them.
constexpr double kLeastSeconds = 1.0;
constexpr double kMostDistance = 0.5;

void measure(std::size_t num_embeddings) {
  diarize::bench::RecordingOptions options;
  options.minutes = 10.0 + kMinutesEach * static_cast<double>(num_embeddings);
  const diarize::Embeddings embeddings =
      diarize::bench::make_recording(options).embeddings;
  const auto& sources = embeddings.sources;
  const auto& values = embeddings.values;
  diarize::Array<double, 2> vectors({num_embeddings, values.size(1)});
  diarize::VectorList rows;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (rows.size() == num_embeddings) break;
    if (diarize::piece_seconds(sources[i]) < kLeastSeconds) continue;
    const std::span<double> row = vectors.row(rows.size());
    std::ranges::copy(values.row(i), row.begin());
    diarize::normalize(row);
    rows.emplace_back(row);
  }
  if (rows.empty() || rows.size() < num_embeddings) {
    fmt::print(stderr, "{} embeddings asked for, {} made\n", num_embeddings,
               rows.size());
    std::exit(1);
  }
  const std::clock_t processor = std::clock();
  const auto start = std::chrono::steady_clock::now();
  const auto labels = diarize::average_linkage(rows, kMostDistance);
  const std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - start;
  fmt::print("| {} | {} | {:.2f} | {:.2f} | {:.0f} |\n", rows.size(),
             *std::ranges::max_element(labels) + 1, elapsed.count(),
             static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC,
             diarize::bench::peak_megabytes());
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::size_t> sizes;
  for (int i = 1; i < argc; ++i) {
    sizes.push_back(std::strtoul(argv[i], nullptr, 10));
  }
  if (sizes.empty()) sizes = {1000, 4000, 16000};
  fmt::print(
      "| embeddings | clusters | seconds | processor, s | peak MB |\n"
      "|---|---|---|---|---|\n");
  for (const std::size_t size : sizes) measure(size);
}
