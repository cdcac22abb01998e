#pragma once

#include "cli/batch.h"
#include "cli/console.h"
#include "cli/exit_status.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/report/report.h"
#include "cli/surroundings.h"
#include "core/engine/stage_times.h"

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace diarize {

// A recording that has been through the pipeline.
struct DiarizedFile {
  FileDiarization diarization;
  std::vector<std::string> warnings;  // without the path
  std::vector<std::string> details;   // for --verbose, without the path
  // Levels of the audio, as io/level.h has them.
  double rms_dbfs = 0.0;
  double peak_dbfs = 0.0;
  double peak_seconds = 0.0;
  // What each stage took, by its number; zeros unless that is measured.
  std::array<double, kNumStages> stage_seconds{};
};

// What a job needs to know of the batch it is part of. Threads may share it.
struct BatchState {
  Progress& progress;
  // Throws Interrupted if the batch is being stopped.
  std::function<void()> check;
};

// What turns files into turns. Threads may share it.
class FileDiarizer {
 public:
  virtual ~FileDiarizer() = default;

  // The folder of its pipeline.
  [[nodiscard]] virtual std::string model() const = 0;

  // Where stage times are added up; null unless they are asked for.
  [[nodiscard]] virtual StageTimes* stage_times() const { return nullptr; }

  // Throws InputError if this file cannot be done, FatalError if none can.
  // Tells the progress of the audio as it is read, and gives up with
  // Interrupted once the batch is being stopped.
  [[nodiscard]] virtual DiarizedFile diarize(const Job& job,
                                             const BatchState& batch) = 0;
};

// Loads the model that the options name; throws FatalError if it cannot.
using LoadDiarizer = std::function<std::unique_ptr<FileDiarizer>(
    const Options& options, Console& console)>;

// How the main job comes to its model.
struct ModelAccess {
  LoadDiarizer load;
  // Throws FatalError for what load() would find missing or contradictory,
  // without reading the weights.
  std::function<void(const Options& options)> check;
};

// Diarizes all inputs of valid options: finds them, loads the model, runs the
// batch, and says how each file and all ended. Throws FatalError for whatever
// keeps the batch from being started.
[[nodiscard]] ExitStatus run_main_job(const Options& options,
                                      const Surroundings& surroundings,
                                      const ModelAccess& model);

}  // namespace diarize
