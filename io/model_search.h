#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace diarize {

// Where models lie that a config names as on Hugging Face, `org/name`.
struct ModelSearch {
  // Folders that hold models, as `org/name/`, `name/` or
  // `models--org--name/snapshots/REVISION/`.
  std::vector<std::filesystem::path> model_paths;
  // Folders of huggingface_hub, looked at last.
  std::vector<std::filesystem::path> hub_caches;
};

// Folders in which huggingface_hub keeps what it downloads: $HF_HUB_CACHE, or
// `hub` below $HF_HOME, or ~/.cache/huggingface/hub. `variable` gives the
// value of an environment variable; unset and empty are the same.
[[nodiscard]] std::vector<std::filesystem::path> hub_caches(
    const std::function<std::optional<std::string>(const std::string&)>&
        variable);

// The folder of a model `org/name` or `org/name@revision` that holds a file of
// that name. Looked at are `beside`, the folder above it, the cache around it
// if it is a snapshot, `model_paths` and `hub_caches`, in this order; of the
// snapshots in a cache the revision asked for, else that of refs/main, else
// the last by name.
//
// Throws FatalError naming the model and where it was looked for.
[[nodiscard]] std::filesystem::path find_model_folder(
    std::string_view name, std::string_view file,
    const std::filesystem::path& beside, const ModelSearch& search);

}  // namespace diarize
