#include "cli/dry_run.h"

#include "cli/batch.h"
#include "cli/outputs.h"
#include "core/error.h"
#include "io/decoder.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <string>
#include <system_error>

namespace diarize {
namespace {

std::string length_of(const Job& job, const Waiting& waiting) {
  if (job.is_standard_input()) return "standard input";
  std::error_code ignored;
  if (std::filesystem::is_fifo(job.input, ignored)) return "a pipe";
  const AudioInfo info = probe_file(job.input, waiting);
  return info.seconds_promised ? fmt::format("{:.1f} s", *info.seconds_promised)
                               : "of unknown length";
}

std::string targets_of(const Job& job, const OutputOptions& options) {
  std::vector<std::string> names;
  for (const auto& path : output_paths(job, options)) {
    names.push_back(path.string());
  }
  return names.empty() ? "standard output"
                       : fmt::format("{}", fmt::join(names, ", "));
}

std::string plan_of(const Job& job, const Options& options,
                    const Waiting& waiting) {
  if (options.output.skip_existing && are_outputs_whole(job, options.output)) {
    return fmt::format("{}: would be skipped, its outputs are there",
                       job.input);
  }
  return fmt::format("{}: {}, would be written to {}", job.input,
                     length_of(job, waiting), targets_of(job, options.output));
}

}  // namespace

ExitStatus dry_run(const std::vector<Job>& jobs, const Options& options,
                   Console& console, const std::function<int()>& interruption) {
  Waiting waiting;
  waiting.timeout = std::chrono::milliseconds(
      std::llround(1000.0 * options.machine.decode_timeout));
  waiting.check = [&] {
    if (interruption() != 0) throw Interrupted();
  };
  ExitStatus status = ExitStatus::kAllDone;
  for (const Job& job : jobs) {
    try {
      waiting.check();
      console.note(plan_of(job, options, waiting));
    } catch (const Interrupted&) {
      return interruption() == SIGINT ? ExitStatus::kInterrupted
                                      : ExitStatus::kTerminated;
    } catch (const InputError& error) {
      console.error(fmt::format("{}: {}", job.input, error.what()));
      status = ExitStatus::kSomeFailed;
    }
  }
  return status;
}

}  // namespace diarize
