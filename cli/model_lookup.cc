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
  throw FatalError(
      fmt::format("no model: neither {} nor {} is a folder; run "
                  "scripts/fetch_models, or name one with --model or "
                  "DIARIZE_MODEL",
                  folders[0].string(), folders[1].string()));
}

std::vector<fs::path> default_model_folders(const fs::path& program_folder) {
  return {
      (program_folder / "../share/diarize/models/default").lexically_normal(),
      "models/default"};
}

fs::path program_folder() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::current_path() : program.parent_path();
}

}  // namespace diarize
