#include "cli/model_lookup.h"

#include "core/error.h"

#include <fmt/format.h>

namespace diarize {

namespace fs = std::filesystem;

fs::path find_model(const std::string& named, const fs::path& program_folder) {
  std::error_code ignored;
  if (!named.empty()) {
    if (fs::is_directory(named, ignored)) return named;
    throw FatalError(fmt::format(
        "--model: {} is not a folder, one with a config.yaml expected", named));
  }
  const std::vector<fs::path> folders = default_model_folders(program_folder);
  for (const fs::path& folder : folders) {
    if (fs::is_directory(folder, ignored)) return folder;
  }
  std::string looked;
  for (const fs::path& folder : folders) {
    looked += (looked.empty() ? "" : ", ") + folder.string();
  }
  throw FatalError(
      fmt::format("no model: not a folder: {}; run scripts/fetch_models, or "
                  "name one with --model or DIARIZE_MODEL",
                  looked));
}

std::vector<fs::path> default_model_folders(const fs::path& program_folder) {
  const auto beside = [&](const char* path) {
    return (program_folder / path).lexically_normal();
  };
  std::vector<fs::path> folders{beside("../share/diarize/models/default"),
                                "models/default"};
  if (fs::exists(beside("../../CMakePresets.json"))) {
    folders.push_back(beside("../../models/default"));
  }
  return folders;
}

fs::path program_folder() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::current_path() : program.parent_path();
}

}  // namespace diarize
