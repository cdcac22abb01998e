#pragma once

#include "core/nn/precision.h"
#include "core/types.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): of CLI11
class App;
}

namespace diarize {

// What is to be diarized.
struct InputOptions {
  // Files, folders, or `-` for standard input.
  std::vector<std::string> audio;
  // A file with one path a line, `-` for standard input; none if empty.
  std::string input_list;
  // Whether folders are searched down to the last.
  bool recursive = false;
};

// What is written, and where.
struct OutputOptions {
  // Standard output if empty.
  std::string output_dir;
  // Names as in report_format().
  std::vector<std::string> formats{"rttm"};
  // One speaker at a time in RTTM.
  bool exclusive = false;
  // Whether a file whose outputs are all there, whole, is left alone.
  bool skip_existing = false;
};

// How a batch runs.
struct BatchOptions {
  // Start no further file after one has failed.
  bool fail_fast = false;
  // Say what would be done, and do nothing.
  bool dry_run = false;
  // Where the table of stage times goes: "true" for standard error, else the
  // name of a file; none if empty.
  std::string profile;
  // A JSON line for each file goes to the end of this file; none if empty.
  std::string manifest;
};

// Which networks run, on which chunks.
struct PipelineOptions {
  // Looked for by find_model() if empty.
  std::string model;
  // Where models that its config.yaml names are looked for too.
  std::vector<std::string> model_paths;
  // "balanced" or "fast".
  std::string preset = "balanced";
  // Distance of chunks in seconds, a multiple of 0.01; else the preset's.
  std::optional<double> step;
};

// How scores and embeddings become turns; unset is what the model says.
struct TurnOptions {
  SpeakerRequest speakers;
  // When two voices are one: higher gives more speakers.
  std::optional<double> threshold;
  // Turns shorter than this go, in seconds.
  std::optional<double> min_duration_on;
  // Silence of one speaker shorter than this is bridged, in seconds.
  std::optional<double> min_duration_off;
};

// How a file becomes 16 kHz mono.
struct AudioOptions {
  // "mix", "each" for every channel on its own, or a channel's number from 1.
  std::string channel = "mix";
  // "auto", "sinc" or "libsamplerate".
  std::string resampler = "auto";
  // The part of each file, in seconds; times in the outputs stay the file's.
  double start = 0.0;
  std::optional<double> duration;  // none: to the end
};

// What the work is done with.
struct MachineOptions {
  // "auto" or "cpu".
  std::string device = "auto";
  // "fp32", "bf16" or "auto", the fastest there is.
  std::string precision = "fp32";
  // Threads of all CPU work; the cores this process may use by default.
  int threads = 1;
  // Chunks a batch, "auto" or a number from 1.
  std::string batch_size = "auto";
  // Most host memory for audio in flight, as parse_bytes() reads it; a quarter
  // of what is free if empty.
  std::string memory_limit;
  // Decoder processes; 0: decode in this process. As many as threads if unset.
  std::optional<int> decode_workers;
  // Seconds without samples after which a decoder hangs.
  double decode_timeout = 30.0;
};

// What is said on standard error.
struct TalkOptions {
  // Errors only.
  bool quiet = false;
  // Also what was found in each file.
  bool verbose = false;
  // A bar: "on", "off", or "auto", where there is a terminal.
  std::string progress = "auto";
  // "text", or "json" for an object a line.
  std::string log_format = "text";
};

// All options of the main job.
struct Options {
  Options();  // threads as available_cores()

  InputOptions input;
  OutputOptions output;
  BatchOptions batch;
  PipelineOptions pipeline;
  TurnOptions turns;
  AudioOptions audio;
  MachineOptions machine;
  TalkOptions talk;
};

// Binds a flag to each field, in groups, with the values the fields have as
// defaults. `options` must outlive `app`.
void add_options(CLI::App& app, Options& options);

// Throws FatalError, naming the flag, what was given and what is possible,
// at the first value out of range or pair that excludes each other.
void validate(const Options& options);

// The channel to take, from 1, of a valid `--channel`; none for all of them.
[[nodiscard]] std::optional<int> selected_channel(const AudioOptions& options);

// Chunks a batch of a valid `--batch-size`; none for `auto`.
[[nodiscard]] std::optional<int> batch_chunks(const MachineOptions& options);

// Bytes of a valid `--memory-limit`; none if it is not given.
[[nodiscard]] std::optional<std::size_t> memory_limit_bytes(
    const MachineOptions& options);

// The device taken for `--device`. Throws FatalError, naming those there are,
// if it is not one of this build.
[[nodiscard]] std::string chosen_device(const MachineOptions& options);

// The arithmetic taken for `--precision`. Throws FatalError, naming what this
// processor has, if it is not one of them.
[[nodiscard]] Precision chosen_precision(const MachineOptions& options);

}  // namespace diarize
