#include "cli/batch.h"

#include "cli/job_order.h"
#include "cli/outcome_order.h"
#include "core/error.h"

#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <new>
#include <optional>
#include <utility>

namespace diarize {
namespace {

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

// Picks the next job: none if there is none, or if the batch is to stop.
class JobSource {
 public:
  JobSource(std::span<const Job> jobs, const BatchLimits& limits,
            const std::atomic<bool>& stop, OutcomeOrder& outcomes)
      : limits_(limits),
        stop_(stop),
        outcomes_(outcomes),
        order_(jobs.size(), limits.num_parallel) {}

  [[nodiscard]] std::optional<std::size_t> next() {
    if (stop_ || limits_.is_interrupted()) return std::nullopt;
    if (!order_.has_lengths()) {
      if (const auto seconds = limits_.lengths()) order_.set_lengths(*seconds);
    }
    while (outcomes_.is_full()) {
      // Those that are done wait for one before them: it must come first, if
      // it does not run already.
      const std::size_t due = outcomes_.due();
      if (!order_.is_taken(due)) return order_.take_first();
      outcomes_.wait_for(due);
      if (stop_ || limits_.is_interrupted()) return std::nullopt;
    }
    return order_.take();
  }

  [[nodiscard]] std::size_t num_left() const { return order_.num_left(); }

 private:
  const BatchLimits& limits_;
  const std::atomic<bool>& stop_;
  OutcomeOrder& outcomes_;
  JobOrder order_;
};

}  // namespace

BatchSummary run_batch(std::span<const Job> jobs, const BatchLimits& limits,
                       const ProcessFile& process, const ReportFile& report) {
  BatchSummary summary;
  std::atomic<bool> stop = false;
  const ReportFile count_and_report = [&](const Job& job,
                                          const FileOutcome& outcome) {
    count(outcome, summary);
    report(job, outcome);
  };
  OutcomeOrder outcomes(jobs, count_and_report);
  JobSource source(jobs, limits, stop, outcomes);
  const auto take = [&](tbb::flow_control& control) -> std::size_t {
    if (const auto job = source.next()) return *job;
    control.stop();
    return 0;
  };
  const auto do_one = [&](std::size_t job) {
    FileOutcome outcome = process_named(jobs[job], process, stop);
    if (limits.fail_fast && outcome.failure) stop = true;
    limits.job_ended(jobs[job], outcome);
    outcomes.add(job, std::move(outcome));
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
                               tbb::make_filter<std::size_t, void>(
                                   tbb::filter_mode::parallel, do_one));
  });
  outcomes.end();
  summary.num_not_done += static_cast<int>(source.num_left());
  return summary;
}

}  // namespace diarize
