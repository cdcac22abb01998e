#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace diarize {

// The folder of the pipeline to load: `named` (of --model or DIARIZE_MODEL) if
// it is not empty, else `../share/diarize/models/default` beside the program,
// else `models/default` in the working directory, else in the checkout of a
// program that was not installed (build/PRESET/diarize).
//
// program_folder: where the program lies, see program_folder().
// Throws FatalError, naming where it looked, if there is no such folder.
[[nodiscard]] std::filesystem::path find_model(
    const std::string& named, const std::filesystem::path& program_folder);

// The folders in which it looks if none is named, best first.
[[nodiscard]] std::vector<std::filesystem::path> default_model_folders(
    const std::filesystem::path& program_folder);

// The folder of the running program, links resolved.
[[nodiscard]] std::filesystem::path program_folder();

}  // namespace diarize
