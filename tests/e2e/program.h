#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace diarize::test {

// How a run of the program ended.
struct ProgramRun {
  int status = -1;  // exit status; 128 and the signal if it was killed
  std::string output;
  std::string errors;
  double peak_megabytes = 0.0;  // of the process alone

  [[nodiscard]] bool said(const std::string& part) const {
    return errors.find(part) != std::string::npos;
  }
};

struct ProgramOptions {
  std::filesystem::path working_directory = ".";
  std::filesystem::path standard_input = "/dev/null";
  std::map<std::string, std::string> variables;
  // Sent once the file is there; none if 0.
  int signal = 0;
  std::filesystem::path signal_after;
  // Called again and again with its process number until it ends.
  std::function<void(pid_t)> meanwhile;
  // Bytes a file may have that it writes, see RLIMIT_FSIZE; 0 sets no limit.
  std::uint64_t max_file_bytes = 0;
};

// Runs the `diarize` of this build to its end, with `models/default` of the
// checkout as DIARIZE_MODEL unless `variables` has another.
[[nodiscard]] ProgramRun run_diarize(const std::vector<std::string>& arguments,
                                     const ProgramOptions& options = {});

// Whether the default weights are there; says so in a message if not.
[[nodiscard]] bool has_default_model();

// Samples as a WAV of 16 bits at 16 kHz. samples: (num_frames, num_channels).
[[nodiscard]] std::string wav_bytes(const std::vector<float>& samples,
                                    std::uint32_t num_channels = 1);

// A turn of RTTM text.
struct RttmRow {
  std::string file_id;
  double onset = 0.0;
  double end = 0.0;
  std::string speaker;
};

[[nodiscard]] std::vector<RttmRow> rttm_rows(const std::string& text);

// What differs between two RTTM texts: none if they have the same rows in the
// same order, boundaries within `tolerance` seconds of each other.
[[nodiscard]] std::string rttm_difference(const std::string& found,
                                          const std::string& expected,
                                          double tolerance);

// Largest difference of a boundary, s, between RTTM texts with as many rows.
[[nodiscard]] double largest_boundary_difference(const std::string& found,
                                                 const std::string& expected);

}  // namespace diarize::test
