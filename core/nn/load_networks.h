#pragma once

#include "core/engine/networks.h"
#include "core/nn/precision.h"
#include "core/nn/trunk_run.h"
#include "core/weights.h"

#include <memory>
#include <string>

namespace diarize {

// Where and how networks run.
struct NetworkOptions {
  std::string device = "cpu";  // cpu
  Precision precision = Precision::kFloat32;
  // Of networks that pool under masks; no other has a choice.
  TrunkRun trunk_run = TrunkRun::kChunk;
};

// What a checkpoint says it is.
struct NetworkWeights {
  // Name of the class: `PyanNet`, `CAMPPlus` or `WeSpeakerResNet34`;
  // checkpoints without one, such as those of 3D-Speaker, are named by who
  // reads them.
  std::string architecture;
  WeightMap weights;
};

// Builds the networks of a pipeline. Sets torch to one thread a caller.
//
// Throws FatalError if a network is not known, if weights are missing, left
// over or of another shape, if this build has no such device, or if the
// processor does not have the precision.
[[nodiscard]] std::shared_ptr<const Networks> load_networks(
    NetworkWeights segmentation, NetworkWeights embedding,
    const NetworkOptions& options = {});

// The networks of the default set: PyanNet and CAM++.
[[nodiscard]] std::shared_ptr<const Networks> load_default_networks(
    WeightMap segmentation, WeightMap embedding,
    const NetworkOptions& options = {});

}  // namespace diarize
