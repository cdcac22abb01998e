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
  const fs::path installed =
      (program_folder / "../share/diarize/models/default").lexically_normal();
  const fs::path local = "models/default";
  for (const fs::path& folder : {installed, local}) {
    if (fs::is_directory(folder, ignored)) return folder;
  }
  throw FatalError(
      fmt::format("no model: neither {} nor {} is a folder; run "
                  "scripts/fetch_models, or name one with --model or "
                  "DIARIZE_MODEL",
                  installed.string(), local.string()));
}

fs::path program_folder() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::current_path() : program.parent_path();
}

}  // namespace diarize
