#pragma once

#include "core/weights.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace diarize::test {

// The tensors of a network by name, to be given to more than one reader.
using NamedWeights = std::map<std::string, WeightTensor>;

// Weights of the shapes of segmentation-3.0 (54 tensors) and of CAM++ (815),
// drawn from a seed so that activations stay near unit size.
[[nodiscard]] NamedWeights random_pyannet_weights(unsigned seed);
[[nodiscard]] NamedWeights random_campplus_weights(unsigned seed);

[[nodiscard]] WeightMap weight_map(const NamedWeights& weights);

// The trained weights below models/default; none, after a message, where they
// are absent.
[[nodiscard]] std::optional<WeightMap> trained_weights(std::string_view file);

}  // namespace diarize::test
