// Decodes the same files with 1, 2, … N decoder processes and prints the times,
// so that one sees whether fanning out pays. Called by
// scripts/benchmarks/decode.
//
//   bench_decode NUM_WORKERS FILE...

#include "core/error.h"
#include "io/decoder_pool.h"

#include <fmt/format.h>
#include <tbb/parallel_for_each.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

namespace {

constexpr int kNumRuns = 5;

struct Run {
  double seconds = 0.0;
  std::int64_t num_samples = 0;
};

Run decode_all(diarize::DecoderPool& pool, tbb::task_arena& arena,
               const std::vector<std::string>& files) {
  std::atomic<std::int64_t> num_samples = 0;
  const auto begin = std::chrono::steady_clock::now();
  arena.execute([&] {
    tbb::parallel_for_each(files, [&](const std::string& file) {
      const auto ignore = [](std::span<const float>) {};
      num_samples += pool.decode(file, {}, ignore).num_samples;
    });
  });
  const std::chrono::duration<double> time =
      std::chrono::steady_clock::now() - begin;
  return {time.count(), num_samples};
}

double median_seconds(int num_workers, const std::vector<std::string>& files) {
  diarize::DecoderPoolOptions options;
  options.num_workers = num_workers;
  options.program = diarize::decoder_program();
  diarize::DecoderPool pool(options);
  tbb::task_arena arena(num_workers);
  std::vector<double> times;
  Run run = decode_all(pool, arena, files);  // starts the processes
  for (int number = 0; number < kNumRuns; ++number) {
    run = decode_all(pool, arena, files);
    times.push_back(run.seconds);
  }
  std::ranges::sort(times);
  const double audio = static_cast<double>(run.num_samples) / 16000.0;
  const double median = times[kNumRuns / 2];
  fmt::print("{:2} workers: {:.3f} s ({:.3f} to {:.3f}), {:.0f} x real time\n",
             num_workers, median, times.front(), times.back(), audio / median);
  return median;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() < 2) {
    std::fputs("usage: bench_decode NUM_WORKERS FILE...\n", stderr);
    return 2;
  }
  const std::vector<std::string> files(arguments.begin() + 1, arguments.end());
  try {
    const int most = std::stoi(arguments[0]);
    const double alone = median_seconds(1, files);
    for (int num_workers = 2; num_workers <= most; num_workers *= 2) {
      const double together = median_seconds(num_workers, files);
      fmt::print("            {:.2f} of 1/{} of the time of one\n",
                 together * num_workers / alone, num_workers);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_decode: %s\n", error.what());
    return 1;
  }
  return 0;
}
