#pragma once

#include "cli/inputs.h"
#include "cli/options.h"
#include "cli/report/report.h"
#include "core/types.h"

#include <filesystem>
#include <string>
#include <vector>

namespace diarize {

// Where the outputs of a job go, one for each format; none if they go to
// standard output.
[[nodiscard]] std::vector<std::filesystem::path> output_paths(
    const Job& job, const OutputOptions& options);

// Writes the outputs of a job, each whole or not at all, with the folders
// they lie in. Returns what goes to standard output instead, empty where
// there is an output folder. Throws InputError, naming the output.
[[nodiscard]] std::string write_outputs(const Job& job,
                                        const OutputOptions& options,
                                        FileDiarization diarization);

// Whether all outputs of a job are there, whole. Only renames make one, so
// those that are there are; JSON must also parse.
[[nodiscard]] bool are_outputs_whole(const Job& job,
                                     const OutputOptions& options);

// Throws FatalError, naming both, if an output, the manifest or the profile
// would be written over an input or over each other.
void refuse_overwriting(const std::vector<Job>& jobs, const Options& options);

// Makes the output folder, and removes what killed runs left in the folders
// that the jobs write to. Throws FatalError if it cannot be made.
void prepare_output_folders(const std::vector<Job>& jobs,
                            const OutputOptions& options);

// What to say if there are fewer speakers than asked for, in a channel where
// each is a recording of its own; else nothing.
[[nodiscard]] std::vector<std::string> speaker_warnings(
    const SpeakerRequest& request, const FileDiarization& found);

}  // namespace diarize
