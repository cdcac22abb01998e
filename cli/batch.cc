#include "cli/batch.h"

#include "core/error.h"

#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <new>

namespace diarize {
namespace {

struct Finished {
  const Job* job = nullptr;
  FileOutcome outcome;
};

FileOutcome failed(const Job& job, const char* reason) {
  FileOutcome outcome;
  outcome.failure = fmt::format("{}: {}", job.input, reason);
  return outcome;
}

// The one place where a file's errors are caught and named.
FileOutcome process_named(const Job& job, const ProcessFile& process,
                          std::atomic<bool>& stop) {
  try {
    return process(job);
  } catch (const Interrupted&) {
    FileOutcome outcome;
    outcome.interrupted = true;
    return outcome;
  } catch (const FatalError& error) {
    stop = true;
    return failed(job, error.what());
  } catch (const std::bad_alloc&) {
    return failed(job, "there is not enough memory for this file");
  } catch (const std::exception& error) {
    return failed(job, error.what());
  }
}

void count(const FileOutcome& outcome, BatchSummary& summary) {
  if (outcome.failure) {
    ++summary.num_failed;
  } else if (outcome.interrupted) {
    ++summary.num_not_done;
  } else if (outcome.skipped) {
    ++summary.num_skipped;
  } else {
    ++summary.num_done;
    summary.audio_seconds += outcome.seconds;
  }
}

}  // namespace

BatchSummary run_batch(std::span<const Job> jobs, const BatchLimits& limits,
                       const ProcessFile& process, const ReportFile& report) {
  BatchSummary summary;
  std::size_t next = 0;
  std::atomic<bool> stop = false;
  const auto take = [&](tbb::flow_control& control) -> std::size_t {
    if (next < jobs.size() && !stop && !limits.is_interrupted()) return next++;
    control.stop();
    return 0;
  };
  const auto do_one = [&](std::size_t job) {
    Finished finished{&jobs[job], process_named(jobs[job], process, stop)};
    if (limits.fail_fast && finished.outcome.failure) stop = true;
    return finished;
  };
  const auto tell = [&](const Finished& finished) {
    count(finished.outcome, summary);
    report(*finished.job, finished.outcome);
  };

  // Threads of this pool wait for the engine most of the time, so there may
  // be more of them than cores.
  const tbb::global_control threads(
      tbb::global_control::max_allowed_parallelism, limits.num_parallel);
  tbb::task_arena arena(limits.num_parallel);
  arena.execute([&] {
    tbb::parallel_pipeline(limits.num_parallel,
                           tbb::make_filter<void, std::size_t>(
                               tbb::filter_mode::serial_in_order, take) &
                               tbb::make_filter<std::size_t, Finished>(
                                   tbb::filter_mode::parallel, do_one) &
                               tbb::make_filter<Finished, void>(
                                   tbb::filter_mode::serial_in_order, tell));
  });
  summary.num_not_done += static_cast<int>(jobs.size() - next);
  return summary;
}

}  // namespace diarize
