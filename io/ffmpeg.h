#pragma once

#include "io/child_process.h"
#include "io/file_descriptor.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace diarize {

// The program `ffmpeg` in PATH, if there is one.
[[nodiscard]] std::optional<std::filesystem::path> find_ffmpeg();

// An ffmpeg process that turns the first sound of a file into a WAV of float32
// at the file's own rate and channels, written into a pipe: a source like any
// other WAV that comes through one. It reads the one file it is given and no
// other, may use at most 4 GiB of address space, and is killed with its owner.
class FfmpegProcess {
 public:
  // file: on a disk, open for reading. Throws FatalError if the program cannot
  // be started.
  FfmpegProcess(const std::filesystem::path& program,
                const FileDescriptor& file);

  // The reading end of the pipe, ours no more.
  [[nodiscard]] FileDescriptor take_output() { return std::move(output_); }

  struct End {
    std::string complaint;  // its first error; empty if there is none
    // By the container, in steps of 0.01 s; none where it does not say, or
    // where it holds pictures too.
    std::optional<double> seconds_promised;
  };

  // Waits for its end, killing it after a second.
  [[nodiscard]] End end();

 private:
  FileDescriptor complaints_;  // a nameless file
  FileDescriptor output_;
  ChildProcess process_;
};

}  // namespace diarize
