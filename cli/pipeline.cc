#include "cli/pipeline.h"

#include "core/default_recipe.h"
#include "core/error.h"
#include "core/nn/load_networks.h"
#include "core/pyannote_recipe.h"
#include "io/checkpoint.h"
#include "io/plda_file.h"

#include <filesystem>
#include <optional>
#include <utility>

namespace diarize {
namespace {

constexpr double kFastPyannoteStep = 2.5;  // s

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

PyannoteOptions pyannote_options(const ModelDirectory& model,
                                 const PipelineOptions& pipeline,
                                 const TurnOptions& turns) {
  if (turns.min_duration_on) {
    throw FatalError(
        "--min-duration-on: pyannote's pipelines drop no short turns");
  }
  const PyannoteParameters& parameters = model.parameters;
  PyannoteOptions options;
  options.clustering = model.kind == PipelineKind::kCommunity1
                           ? PyannoteClustering::kVbx
                           : PyannoteClustering::kAgglomerative;
  options.threshold = turns.threshold.value_or(parameters.threshold);
  options.Fa = parameters.Fa;
  options.Fb = parameters.Fb;
  options.min_cluster_size = parameters.min_cluster_size;
  options.min_duration_off =
      turns.min_duration_off.value_or(parameters.min_duration_off);
  options.embedding_exclude_overlap = parameters.embedding_exclude_overlap;
  const double preset =
      pipeline.preset == "fast" ? kFastPyannoteStep : parameters.step;
  options.step = pipeline.step.value_or(preset);
  return options;
}

// The weights of a checkpoint that says which network it is for.
NetworkWeights read_network(const std::filesystem::path& path) {
  Checkpoint checkpoint = read_checkpoint(path);
  if (!checkpoint.architecture) {
    throw FatalError(path.string() +
                     ": the checkpoint does not say which network it is for");
  }
  return {checkpoint.architecture->class_name, std::move(checkpoint.weights)};
}

}  // namespace

std::shared_ptr<const Recipe> make_recipe(const ModelDirectory& model,
                                          const PipelineOptions& pipeline,
                                          const TurnOptions& turns) {
  if (model.kind == PipelineKind::kDefault) {
    return std::make_shared<DefaultRecipe>(recipe_options(pipeline, turns));
  }
  std::optional<PldaModel> plda;
  if (model.plda) plda = read_plda(*model.plda);
  return std::make_shared<PyannoteRecipe>(
      pyannote_options(model, pipeline, turns), std::move(plda));
}

Pipeline load_pipeline(const ModelDirectory& model,
                       const PipelineOptions& pipeline,
                       const TurnOptions& turns, Precision precision) {
  const NetworkOptions options{.device = "cpu",
                               .precision = precision,
                               .trunk_run = pipeline.preset == "fast"
                                                ? TrunkRun::kBlock
                                                : TrunkRun::kChunk};
  std::shared_ptr<const Recipe> recipe = make_recipe(model, pipeline, turns);
  if (model.kind == PipelineKind::kDefault) {
    return {load_default_networks(read_checkpoint(model.segmentation).weights,
                                  read_checkpoint(model.embedding).weights,
                                  options),
            std::move(recipe)};
  }
  return {load_networks(read_network(model.segmentation),
                        read_network(model.embedding), options),
          std::move(recipe)};
}

}  // namespace diarize
