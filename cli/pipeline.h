#pragma once

#include "cli/options.h"
#include "core/engine/networks.h"
#include "core/engine/recipe.h"

#include <filesystem>
#include <memory>

namespace diarize {

// What a model directory describes, ready for an engine.
struct Pipeline {
  std::shared_ptr<const Networks> networks;
  std::shared_ptr<const Recipe> recipe;
};

// Loads the pipeline of a folder, with what the options say instead of it.
// Reads, checks and packs all weights. Throws FatalError, naming the folder,
// if it is not whole or not known.
[[nodiscard]] Pipeline load_pipeline(const std::filesystem::path& folder,
                                     const PipelineOptions& pipeline,
                                     const TurnOptions& turns);

}  // namespace diarize
