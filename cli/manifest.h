#pragma once

#include "cli/batch.h"
#include "cli/inputs.h"
#include "cli/options.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace diarize {

// One file of a batch as a line of JSON, an object with these keys in this
// order:
//
//   input          as the user named it
//   status         "done", "skipped", "failed" or "interrupted"
//   reason         why it failed, else null
//   outputs        paths that were written or are there
//   seconds        of audio
//   wall_seconds   that went by from its start to its outputs
//   stage_seconds  {read, decode, resample, features, segmentation, embedding,
//                  clustering, reconstruction, write}: what each took, on
//                  whatever thread; networks that ran for several files at once
//                  are shared out by the chunks of each
//   speakers       how many, of all channels together with `--channel each`
//   rms_dbfs, peak_dbfs, peak_seconds
//                  levels of the file's own samples, over all channels that
//                  were taken, and where the peak is; null for digital silence
//   warnings       as they were said
//   model          folder of the pipeline, empty if none was loaded
//   precision      arithmetic of the networks, as --precision names it
//   version        of the program
[[nodiscard]] std::string manifest_line(const Job& job,
                                        const FileOutcome& outcome,
                                        const OutputOptions& options,
                                        const std::string& model,
                                        std::string_view precision);

// The file of --manifest. Each line is at the end of the file, whole, once
// add() returns, so a kill loses none; lines of earlier runs stay. One thread
// at a time.
class Manifest {
 public:
  // Opens or makes the file; does nothing at all if `path` is empty. Throws
  // FatalError, naming the flag.
  explicit Manifest(const std::filesystem::path& path);
  ~Manifest();
  Manifest(const Manifest&) = delete;
  Manifest& operator=(const Manifest&) = delete;

  // Whether the line is there now.
  [[nodiscard]] bool add(const std::string& line);

 private:
  int file_ = -1;
};

}  // namespace diarize
