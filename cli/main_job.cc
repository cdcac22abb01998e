#include "cli/main_job.h"

#include "cli/dry_run.h"
#include "cli/length_survey.h"
#include "cli/manifest.h"
#include "cli/outputs.h"
#include "cli/profile.h"
#include "cli/writable.h"
#include "core/engine/stopwatch.h"
#include "core/error.h"
#include "io/atomic_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <utility>

namespace diarize {
namespace {

using Clock = std::chrono::steady_clock;

// Enough for the headers of some hundred files; where there are more, the batch
// begins in the order of the inputs, since there is much to do before its end.
constexpr std::chrono::milliseconds kLengthPatience{100};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// What is known of a file before its outputs are written.
FileOutcome outcome_of(DiarizedFile& file) {
  FileOutcome outcome;
  outcome.seconds = file.diarization.seconds();
  outcome.num_speakers = file.diarization.num_speakers();
  outcome.warnings = std::move(file.warnings);
  outcome.details = std::move(file.details);
  outcome.rms_dbfs = file.rms_dbfs;
  outcome.peak_dbfs = file.peak_dbfs;
  outcome.peak_seconds = file.peak_seconds;
  outcome.stage_seconds = file.stage_seconds;
  return outcome;
}

// Does one job from the file to its outputs.
FileOutcome do_job(const Job& job, const Options& options,
                   FileDiarizer& diarizer, const BatchState& batch) {
  const Clock::time_point start = Clock::now();
  DiarizedFile file = diarizer.diarize(job, batch);
  FileOutcome outcome = outcome_of(file);
  for (std::string& warning :
       speaker_warnings(options.turns.speakers, file.diarization)) {
    outcome.warnings.push_back(std::move(warning));
  }
  Stopwatch writing;
  outcome.standard_output = writing.time([&] {
    return write_outputs(job, options.output, std::move(file.diarization));
  });
  outcome.stage_seconds[static_cast<std::size_t>(Stage::kWrite)] =
      writing.seconds();
  if (StageTimes* times = diarizer.stage_times()) {
    times->add(Stage::kWrite, writing.seconds());
  }
  outcome.wall_seconds = seconds_since(start);
  return outcome;
}

FileOutcome skipped_outcome() {
  FileOutcome outcome;
  outcome.skipped = true;
  return outcome;
}

bool is_skipped(const Job& job, const Options& options) {
  return options.output.skip_existing && are_outputs_whole(job, options.output);
}

// Runs the jobs and says how each of them and all ended. `diarizer` is null
// where there is nothing to do but to skip.
class BatchRun {
 public:
  BatchRun(const Options& options, const Surroundings& surroundings,
           Console& console, FileDiarizer* diarizer,
           const LengthSurvey& lengths, const std::vector<Job>& jobs)
      : options_(options),
        surroundings_(surroundings),
        console_(console),
        diarizer_(diarizer),
        lengths_(lengths),
        manifest_(options.batch.manifest),
        jobs_(jobs),
        progress_(console, jobs, [&lengths] { return lengths.seconds(); }) {}

  ExitStatus run() {
    const BatchState state{progress_, [this] {
                             if (is_interrupted()) throw Interrupted();
                           }};
    const auto process = [&](const Job& job) {
      return is_skipped(job, options_)
                 ? skipped_outcome()
                 : do_job(job, options_, *diarizer_, state);
    };
    const auto report = [this](const Job& job, const FileOutcome& outcome) {
      tell(job, outcome);
    };
    const BatchSummary summary = run_batch(jobs_, limits(), process, report);
    tell_profile();
    progress_.batch_ended(summary);
    return status_of(summary);
  }

 private:
  [[nodiscard]] bool is_interrupted() const {
    return surroundings_.interruption() != 0;
  }

  [[nodiscard]] std::string model() const {
    return diarizer_ != nullptr ? diarizer_->model() : std::string();
  }

  // Twice as many files as threads, so that one being opened, clustered or
  // written does not leave a core without chunks.
  [[nodiscard]] BatchLimits limits() {
    return {2 * options_.machine.threads, options_.batch.fail_fast,
            [this] { return is_interrupted(); },
            [this] { return lengths_.seconds(); },
            [this](const Job& job, const FileOutcome& outcome) {
              progress_.file_done(job, outcome);
            }};
  }

  void tell(const Job& job, const FileOutcome& outcome) {
    surroundings_.output << outcome.standard_output << std::flush;
    if (!manifest_.add(
            manifest_line(job, outcome, options_.output, model(),
                          name_of(chosen_precision(options_.machine))))) {
      manifest_is_whole_ = false;
    }
    progress_.file_ended(job, outcome);
  }

  void tell_profile() {
    const StageTimes* times =
        diarizer_ != nullptr ? diarizer_->stage_times() : nullptr;
    if (times == nullptr) return;
    const std::string table = profile_table(*times);
    const std::string& target = options_.batch.profile;
    if (target == "true") {
      console_.table("time of each stage, all threads together", table);
    } else {
      write_profile(target, table);
    }
  }

  // A device or a pipe is written into, a file is replaced whole.
  void write_profile(const std::filesystem::path& path,
                     const std::string& table) {
    try {
      if (std::filesystem::exists(path) &&
          !std::filesystem::is_regular_file(path)) {
        profile_is_whole_ =
            !(std::ofstream(path) << table << std::flush).fail();
      } else {
        write_whole_file(path, table);
      }
    } catch (const Error&) {
      profile_is_whole_ = false;
    }
  }

  [[nodiscard]] ExitStatus status_of(const BatchSummary& summary) {
    if (const int signal = surroundings_.interruption(); signal != 0) {
      return signal == SIGINT ? ExitStatus::kInterrupted
                              : ExitStatus::kTerminated;
    }
    if (!surroundings_.output) {
      console_.error("standard output cannot be written: results are missing");
      return ExitStatus::kSomeFailed;
    }
    if (!manifest_is_whole_) {
      console_.error(
          "--manifest: the file cannot be written: lines are missing");
      return ExitStatus::kSomeFailed;
    }
    if (!profile_is_whole_) {
      console_.error("--profile: the file cannot be written");
      return ExitStatus::kSomeFailed;
    }
    return summary.num_failed + summary.num_not_done > 0
               ? ExitStatus::kSomeFailed
               : ExitStatus::kAllDone;
  }

  const Options& options_;
  const Surroundings& surroundings_;
  Console& console_;
  FileDiarizer* diarizer_;
  const LengthSurvey& lengths_;
  Manifest manifest_;
  bool manifest_is_whole_ = true;
  bool profile_is_whole_ = true;
  const std::vector<Job>& jobs_;
  Progress progress_;
};

}  // namespace

ExitStatus run_main_job(const Options& options,
                        const Surroundings& surroundings,
                        const ModelAccess& model) {
  Console console(surroundings.errors, options.talk,
                  surroundings.errors_are_terminal);
  const std::string device = chosen_device(options.machine);
  const std::string precision(name_of(chosen_precision(options.machine)));
  const Inputs inputs = find_inputs(options.input, surroundings.input);
  refuse_collisions(inputs.jobs, !options.output.output_dir.empty());
  refuse_overwriting(inputs.jobs, options);
  for (const std::string& warning : inputs.warnings) console.warning(warning);
  require_writable_targets(options);
  const auto is_left = [&](const Job& job) {
    return !is_skipped(job, options);
  };
  const bool any_left =
      std::any_of(inputs.jobs.begin(), inputs.jobs.end(), is_left);
  if (options.batch.dry_run) {
    if (any_left) model.check(options);
    return dry_run(inputs.jobs, options, console, surroundings.interruption);
  }
  // Meanwhile the model is loaded.
  LengthSurvey lengths(inputs.jobs, options.audio);
  std::unique_ptr<FileDiarizer> diarizer;
  if (any_left) {
    diarizer = model.load(options, console);
    console.note(fmt::format("device {}, {}, {} thread{}", device, precision,
                             options.machine.threads,
                             options.machine.threads == 1 ? "" : "s"));
  }
  prepare_output_folders(inputs.jobs, options.output);
  lengths.wait_for(kLengthPatience);
  return BatchRun(options, surroundings, console, diarizer.get(), lengths,
                  inputs.jobs)
      .run();
}

}  // namespace diarize
