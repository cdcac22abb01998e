#pragma once

#include "cli/options.h"

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

namespace diarize {

// One recording to diarize.
struct Job {
  // The file as the user named it or as it was found in a folder; `-` for
  // standard input.
  std::string input;
  // Its name in RTTM: without suffix and white space.
  std::string file_id;
  // Where its outputs go below the output folder, without suffix.
  std::filesystem::path output_stem;

  [[nodiscard]] bool is_standard_input() const { return input == "-"; }
};

// The jobs of a call, and what is worth a warning.
struct Inputs {
  std::vector<Job> jobs;
  std::vector<std::string> warnings;  // complete, with their path
};

// The name of a recording in RTTM: `stem` with each run of bytes that is one
// white-space character (also those of Unicode) replaced by `_`.
[[nodiscard]] std::string file_id_of(const std::string& stem);

// Whether a folder's file counts as audio, by its suffix.
[[nodiscard]] bool has_audio_suffix(const std::filesystem::path& path);

// The jobs, in the order of the arguments, then the list; the files of a
// folder by name. A file that does not exist is a job all the same, so that
// its failure is reported as that of any other.
//
// standard_input: read where the list is `-`.
// Throws FatalError if there is nothing to do, if the list or a folder cannot
// be read, or if standard input is named twice.
[[nodiscard]] Inputs find_inputs(const InputOptions& options,
                                 std::istream& standard_input);

// Throws FatalError, naming both, if two jobs would write one name: the
// same place below the output folder, or, with results on standard output,
// the same file id.
void refuse_collisions(const std::vector<Job>& jobs, bool has_output_dir);

}  // namespace diarize
