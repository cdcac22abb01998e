#pragma once

#include "core/weights.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <variant>

namespace diarize {

// A plain value among the hyper-parameters of a checkpoint.
using HyperParameter = std::variant<bool, std::int64_t, double, std::string>;

// Which class a checkpoint says its weights are for.
struct Architecture {
  std::string module;      // "pyannote.audio.models.segmentation.PyanNet"
  std::string class_name;  // "PyanNet"
};

// What a file written by torch.save holds, as far as it matters to inference.
struct Checkpoint {
  WeightMap weights;

  // Of nested dicts under names with dots, as "lstm.hidden_size"; values that
  // are no plain ones are left out. Empty if the file has none.
  std::map<std::string, HyperParameter> hyper_parameters;

  // Only pyannote.audio writes it.
  std::optional<Architecture> architecture;
};

// Reads the zip archive that torch.save writes (torch >= 1.6), without Python
// and without running anything in it: a Lightning checkpoint, which has its
// tensors under `state_dict`, or a plain state dict.
//
// Tensors of float32 are read with their offset and strides and may share
// storages. Tensors of other types are noted by name only. Storages must be
// stored without compression, complete, and of the size the pickle says; every
// tensor must lie inside its storage and hold no more values than it.
//
// Throws FatalError, in one line that begins with the path, if the file is
// anything else or damaged. Cost: each storage is read once, straight into the
// tensor where there is only one (28 MB: about 30 ms).
[[nodiscard]] Checkpoint read_checkpoint(const std::filesystem::path& path);

}  // namespace diarize
