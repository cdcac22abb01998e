#pragma once

#include "io/model_directory.h"

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): of CLI11
class App;
}

namespace diarize {

// What `diarize models` is asked for.
struct ModelsCommand {
  enum class Action { kList, kInfo, kCheck };
  Action action = Action::kList;
  std::filesystem::path directory;  // of info and check
  std::vector<std::filesystem::path> model_paths;
};

// What the command finds around it, so that tests can give it their own.
struct ModelsContext {
  // Folders in which the default set is looked for.
  std::vector<std::filesystem::path> default_folders;
  // Folders of huggingface_hub, see hub_caches().
  std::vector<std::filesystem::path> hub_caches;
  // Builds the networks of a pipeline and throws an Error if it cannot.
  std::function<void(const ModelDirectory&)> load;
};

// Adds the sub-commands list, info and check to `app`; without one it is list.
// Parsing fills `command`, which has to live as long as `app`.
void add_models_options(CLI::App& app, ModelsCommand& command);

// Does what is asked and writes what it finds to `out`:
//
//   list   pipelines in the default folders, in --model-path and in the cache
//          of Hugging Face, a line each, also those that are not whole;
//   info   kind, settings and files of one pipeline, each file with its
//          SHA-256, whether that is of a published file, and its licence;
//   check  the same files read and loaded as for use, a line each.
//
// Returns the exit status: 0, or 1 if check finds something wrong. Throws
// FatalError if info is asked about what is no pipeline.
[[nodiscard]] int run_models(const ModelsCommand& command,
                             const ModelsContext& context, std::ostream& out);

}  // namespace diarize
