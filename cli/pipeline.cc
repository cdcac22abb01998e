#include "cli/pipeline.h"

#include "core/default_recipe.h"
#include "core/error.h"
#include "core/nn/load_networks.h"
#include "io/checkpoint.h"
#include "io/model_directory.h"

#include <fmt/format.h>

#include <utility>

namespace diarize {
namespace {

double preset_step(const std::string& preset) {
  return preset == "fast" ? 5.0 : 2.5;
}

DefaultRecipeOptions recipe_options(const PipelineOptions& pipeline,
                                    const TurnOptions& turns) {
  DefaultRecipeOptions options;
  options.step = pipeline.step.value_or(preset_step(pipeline.preset));
  options.merge_threshold = turns.threshold.value_or(options.merge_threshold);
  options.min_duration_on =
      turns.min_duration_on.value_or(options.min_duration_on);
  options.min_duration_off =
      turns.min_duration_off.value_or(options.min_duration_off);
  return options;
}

}  // namespace

Pipeline load_pipeline(const std::filesystem::path& folder,
                       const PipelineOptions& pipeline,
                       const TurnOptions& turns) {
  const ModelDirectory model = read_model_directory(folder);
  if (model.kind != PipelineKind::kDefault) {
    throw FatalError(
        fmt::format("{}: a pipeline of {} found, the default set "
                    "expected, which is all that is known here",
                    folder.string(), name_of(model.kind)));
  }
  return {load_default_networks(read_checkpoint(model.segmentation).weights,
                                read_checkpoint(model.embedding).weights),
          std::make_shared<DefaultRecipe>(recipe_options(pipeline, turns))};
}

}  // namespace diarize
