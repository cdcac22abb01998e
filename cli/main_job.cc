#include "cli/main_job.h"

#include "cli/outputs.h"

#include <fmt/format.h>

#include <ostream>

namespace diarize {
namespace {

// Does one job from the file to its outputs.
FileOutcome do_job(const Job& job, const Options& options,
                   FileDiarizer& diarizer, Progress& progress) {
  DiarizedFile file = diarizer.diarize(job, progress);
  FileOutcome outcome;
  outcome.seconds = file.diarization.seconds;
  outcome.num_speakers = file.diarization.num_speakers;
  outcome.warnings = std::move(file.warnings);
  outcome.details = std::move(file.details);
  for (std::string& warning :
       speaker_warnings(options.turns.speakers, outcome.num_speakers)) {
    outcome.warnings.push_back(std::move(warning));
  }
  outcome.standard_output =
      write_outputs(job, options.output, std::move(file.diarization));
  return outcome;
}

// Runs the jobs and says how each of them and all ended.
ExitStatus run_jobs(const std::vector<Job>& jobs, const Options& options,
                    const Surroundings& surroundings, Console& console,
                    FileDiarizer& diarizer) {
  Progress progress(console, jobs.size());
  const auto process = [&](const Job& job) {
    return do_job(job, options, diarizer, progress);
  };
  const auto report = [&](const Job& job, const FileOutcome& outcome) {
    surroundings.output << outcome.standard_output << std::flush;
    progress.file_ended(job, outcome);
  };
  // Twice as many files as threads, so that one being opened, clustered or
  // written does not leave a core without chunks.
  const BatchSummary summary =
      run_batch(jobs, 2 * options.machine.threads, process, report);
  progress.batch_ended(summary);
  if (!surroundings.output) {
    console.error("standard output cannot be written: results are missing");
    return ExitStatus::kSomeFailed;
  }
  return summary.num_failed + summary.num_not_started > 0
             ? ExitStatus::kSomeFailed
             : ExitStatus::kAllDone;
}

}  // namespace

ExitStatus run_main_job(const Options& options,
                        const Surroundings& surroundings,
                        const LoadDiarizer& load) {
  Console console(surroundings.errors, options.talk,
                  surroundings.errors_are_terminal);
  const std::string device = chosen_device(options.machine);
  const Inputs inputs = find_inputs(options.input, surroundings.input);
  refuse_collisions(inputs.jobs, !options.output.output_dir.empty());
  for (const std::string& warning : inputs.warnings) console.note(warning);
  const std::unique_ptr<FileDiarizer> diarizer = load(options, console);
  prepare_output_folders(inputs.jobs, options.output);
  console.note(fmt::format("device {}, {} thread{}", device,
                           options.machine.threads,
                           options.machine.threads == 1 ? "" : "s"));
  return run_jobs(inputs.jobs, options, surroundings, console, *diarizer);
}

}  // namespace diarize
