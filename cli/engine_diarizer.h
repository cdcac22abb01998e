#pragma once

#include "cli/main_job.h"
#include "core/engine/engine.h"
#include "io/decoder.h"

#include <memory>

namespace diarize {

// Decodes files in this process and runs them through one engine. Threads may
// share it: each call decodes on its own thread and then waits.
class EngineDiarizer : public FileDiarizer {
 public:
  EngineDiarizer(std::shared_ptr<const Networks> networks,
                 std::shared_ptr<const Recipe> recipe,
                 const EngineOptions& engine, const DecodeOptions& decoding,
                 const SpeakerRequest& speakers);

  [[nodiscard]] DiarizedFile diarize(const Job& job,
                                     Progress& progress) override;

 private:
  Engine engine_;
  DecodeOptions decoding_;
  SessionOptions session_;
};

// Finds and loads the model that the options name, and starts an engine with
// a consumer for each thread. Throws FatalError.
[[nodiscard]] std::unique_ptr<FileDiarizer> load_engine_diarizer(
    const Options& options, Console& console);

}  // namespace diarize
