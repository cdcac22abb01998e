#pragma once

#include "cli/options.h"
#include "core/engine/networks.h"
#include "core/engine/recipe.h"
#include "core/nn/precision.h"
#include "io/model_directory.h"

#include <memory>

namespace diarize {

// What a model directory describes, ready for an engine.
struct Pipeline {
  std::shared_ptr<const Networks> networks;
  std::shared_ptr<const Recipe> recipe;
};

// What a folder describes beside the networks. Throws as load_pipeline() does.
[[nodiscard]] std::shared_ptr<const Recipe> make_recipe(
    const ModelDirectory& model, const PipelineOptions& pipeline,
    const TurnOptions& turns);

// Loads the pipeline that a folder describes, with what the options say
// instead of it. Reads, checks and packs all weights. Throws FatalError, naming
// the file, if it is not whole or not known, or naming the option if it has no
// meaning for this pipeline.
[[nodiscard]] Pipeline load_pipeline(const ModelDirectory& model,
                                     const PipelineOptions& pipeline,
                                     const TurnOptions& turns,
                                     Precision precision = Precision::kFloat32);

}  // namespace diarize
