#include "cli/options.h"

#include "cli/byte_size.h"
#include "cli/cores.h"
#include "cli/report/report.h"
#include "core/error.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace diarize {
namespace {

void add_inputs(CLI::App& app, InputOptions& options) {
  app.add_option("AUDIO", options.audio,
                 "Audio files, folders with audio files, or - for standard "
                 "input; write -- before names that begin with -")
      ->group("Input");
  app.add_option("--input-list", options.input_list,
                 "Also diarize the paths in FILE, one a line; - reads them "
                 "from standard input, lines that begin with # are comments")
      ->type_name("FILE")
      ->group("Input");
  app.add_flag("-r,--recursive", options.recursive,
               "Search folders down to the last; sub-folders are kept below "
               "the output folder")
      ->group("Input");
}

void add_outputs(CLI::App& app, OutputOptions& options) {
  app.add_option("-o,--output-dir", options.output_dir,
                 "Write DIR/NAME.rttm for each input NAME.wav; made if "
                 "missing. Without it results go to standard output")
      ->type_name("DIR")
      ->group("Output");
  app.add_option("-f,--format", options.formats,
                 "What to write: rttm, json; commas or repeated. The file id "
                 "in RTTM is the name of the input without its suffix, white "
                 "space replaced by _")
      ->type_name("LIST")
      ->allow_extra_args(false)
      ->delimiter(',')
      ->group("Output")
      ->capture_default_str();
  app.add_flag("--exclusive", options.exclusive,
               "One speaker at a time in RTTM; JSON always has both")
      ->group("Output");
}

void add_batch(CLI::App& app, OutputOptions& output, BatchOptions& options) {
  app.add_flag("--skip-existing,!--overwrite", output.skip_existing,
               "Leave files alone whose outputs are all there, whole; "
               "--overwrite, the default, redoes them")
      ->group("Batch");
  app.add_flag("--fail-fast", options.fail_fast,
               "Start no further file after one has failed")
      ->group("Batch");
  app.add_flag("--dry-run", options.dry_run,
               "Say what would be done to which file, reading headers only")
      ->group("Batch");
  app.add_flag("--profile", options.profile,
               "Say at the end what each stage took: count, total, mean, p50, "
               "p95, max; --profile=FILE writes it there")
      ->group("Batch");
  app.add_option("--manifest", options.manifest,
                 "Add a JSON line for each file to FILE as it ends")
      ->type_name("FILE")
      ->group("Batch");
}

void add_pipeline(CLI::App& app, PipelineOptions& options) {
  app.add_option("--model", options.model,
                 "Folder of a pipeline, with its config.yaml [models/default "
                 "in ../share/diarize beside the program, else here]")
      ->type_name("DIR")
      ->group("Model");
  app.add_option("--model-path", options.model_paths,
                 "Where models that a config.yaml names as on Hugging Face are "
                 "looked for, after the folder itself and before the cache of "
                 "Hugging Face; repeatable")
      ->type_name("DIR")
      ->allow_extra_args(false)
      ->group("Model");
  app.add_option("--preset", options.preset,
                 "balanced: a chunk each 2.5 s. fast: each 5 s, about a fifth "
                 "quicker, with about 2 points more error (DER 17.2 % against "
                 "15.0 % on short conversations). With pyannote's pipelines "
                 "balanced is exactly theirs, a chunk each 1 s. Their fast is "
                 "an approximation, a chunk each 2.5 s with the embedding "
                 "network run once over many: about 6 times quicker, with 4 "
                 "points more error (20.0 % against 16.2 % there)")
      ->type_name("NAME")
      ->group("Model")
      ->capture_default_str();
  app.add_option("--step", options.step,
                 "Distance of chunks instead of the preset's, a multiple of "
                 "0.01 s; lower costs more")
      ->type_name("SECONDS")
      ->group("Model");
}

void add_turns(CLI::App& app, TurnOptions& options) {
  const std::string number = "N";
  app.add_option(
         "--num-speakers", options.speakers.num,
         "Exactly so many, where there is that much speech; wins over the "
         "next two [as found]")
      ->type_name(number)
      ->group("Speakers");
  app.add_option("--min-speakers", options.speakers.min,
                 "At least so many, where there is that much speech [1]")
      ->type_name(number)
      ->group("Speakers");
  app.add_option("--max-speakers", options.speakers.max,
                 "At most so many [no limit]")
      ->type_name(number)
      ->group("Speakers");
  app.add_option("--threshold", options.threshold,
                 "How alike two voices must be to be one; higher gives more "
                 "speakers. With pyannote's pipelines how far apart they may "
                 "be; higher gives fewer [of the model]")
      ->type_name("X")
      ->group("Speakers");
  app.add_option("--min-duration-on", options.min_duration_on,
                 "Drop turns shorter than this; higher gives fewer turns [of "
                 "the model]")
      ->type_name("SECONDS")
      ->group("Speakers");
  app.add_option("--min-duration-off", options.min_duration_off,
                 "Bridge pauses of one speaker shorter than this; higher "
                 "gives fewer, longer turns [of the model]")
      ->type_name("SECONDS")
      ->group("Speakers");
}

void add_audio(CLI::App& app, AudioOptions& options) {
  app.add_option(
         "--channel", options.channel,
         "mix: the mean of all channels; N: the N-th, from 1; each: every "
         "channel on its own, told by the channel field of RTTM and by "
         "labels such as CH1_SPEAKER_00, with the numbers of speakers "
         "counting for each")
      ->type_name("mix|each|N")
      ->group("Audio")
      ->capture_default_str();
  app.add_option("--resampler", options.resampler,
                 "To 16 kHz by sinc (windowed, fast) or libsamplerate (any "
                 "rate); auto takes sinc where its table is small")
      ->type_name("NAME")
      ->group("Audio")
      ->capture_default_str();
  app.add_option("--start", options.start,
                 "Begin at this second of each file; times in the outputs "
                 "stay those of the file")
      ->type_name("SECONDS")
      ->group("Audio")
      ->capture_default_str();
  app.add_option("--duration", options.duration,
                 "Take so many seconds of each file [to its end]")
      ->type_name("SECONDS")
      ->group("Audio");
}

void add_machine(CLI::App& app, MachineOptions& options) {
  app.add_option("--device", options.device,
                 "auto or cpu; one line says which was taken")
      ->type_name("NAME")
      ->group("Machine")
      ->capture_default_str();
  app.add_option(
         "--precision", options.precision,
         "Arithmetic of the networks. bf16, where the processor has "
         "AVX-512 with bfloat16 or AMX: the embedding network in bfloat16, "
         "with AMX also the LSTM; then about 1.5 times faster, with "
         "community-1 about twice, the same DER on the conversations of the "
         "README. auto: the fastest here, so results depend on the processor")
      ->type_name("fp32|bf16|auto")
      ->group("Machine")
      ->capture_default_str();
  app.add_option("-t,--threads", options.threads,
                 "Threads of all work; the default is the cores this process "
                 "may use")
      ->type_name("N")
      ->group("Machine")
      ->capture_default_str();
  app.add_option("--batch-size", options.batch_size,
                 "Chunks a batch; auto is 16, or fewer where the memory for "
                 "audio is short. The results are the same for all")
      ->type_name("auto|N")
      ->group("Machine")
      ->capture_default_str();
}

void add_decoders(CLI::App& app, MachineOptions& options) {
  app.add_option("--decode-workers", options.decode_workers,
                 "Processes that decode, which a bad file cannot take the "
                 "batch with; 0 decodes in this one [as threads]")
      ->type_name("N")
      ->group("Machine");
  app.add_option("--decode-timeout", options.decode_timeout,
                 "Give a file up when its decoder process has given nothing "
                 "for so long; pipes may rest")
      ->type_name("SECONDS")
      ->group("Machine")
      ->capture_default_str();
}

void add_memory(CLI::App& app, MachineOptions& options) {
  app.add_option(
         "--memory-limit", options.memory_limit,
         "Most host memory for audio on its way to the networks, such "
         "as 500M or 2G; networks, results and decoder processes come "
         "on top. No more is taken than keeps all threads busy, at most "
         "45 MB a thread [a quarter of what is free]")
      ->type_name("SIZE")
      ->group("Machine");
}

void add_talk(CLI::App& app, TalkOptions& options) {
  app.add_flag("-q,--quiet", options.quiet, "Say nothing but errors")
      ->group("Messages");
  app.add_flag("-v,--verbose", options.verbose,
               "Also say what was found in each file; --quiet wins")
      ->group("Messages");
  app.add_option("--progress", options.progress,
                 "A bar: on, off, or auto, where there is a terminal; without "
                 "it a line for each finished file")
      ->type_name("WHEN")
      ->group("Messages")
      ->capture_default_str();
  app.add_option("--log-format", options.log_format,
                 "text, or json for an object a line")
      ->type_name("NAME")
      ->group("Messages")
      ->capture_default_str();
}

// A whole number from 1; none if `text` is anything else.
std::optional<int> count_from_1(const std::string& text) {
  int value = 0;
  const char* end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || last != end || value < 1) return std::nullopt;
  return value;
}

[[noreturn]] void refuse(std::string_view flag, std::string_view given,
                         std::string_view expected) {
  throw FatalError(fmt::format("{}: {} given, {} expected", flag,
                               given.empty() ? "nothing" : given, expected));
}

void require_count(std::string_view flag, std::optional<int> value) {
  if (value && *value < 1) {
    refuse(flag, std::to_string(*value), "a number from 1 on");
  }
}

// More threads or processes than any machine has cores are a slip of the
// finger, which would only exhaust it.
constexpr int kMostWorkers = 1024;

void require_workers(std::string_view flag, std::optional<int> value,
                     int least) {
  if (value && (*value < least || *value > kMostWorkers)) {
    refuse(flag, std::to_string(*value),
           fmt::format("a number from {} to {}", least, kMostWorkers));
  }
}

// Thirty years: what is longer is no time in a recording, and would not fit
// the count of its samples.
constexpr double kMostSeconds = 1e9;
constexpr double kLeastDuration = 1e-3;

void require_seconds(std::string_view flag, std::optional<double> value) {
  if (value && !(*value >= 0 && *value <= kMostSeconds)) {
    refuse(flag, fmt::format("{}", *value), "seconds from 0 to 1e9");
  }
}

// The time of a wait has to fit milliseconds in an int.
void require_timeout(double seconds) {
  constexpr double kMost = 1e6;
  if (!(seconds >= 0.1 && seconds <= kMost)) {
    refuse("--decode-timeout", fmt::format("{}", seconds),
           "seconds from 0.1 to 1e6");
  }
}

void require_one_of(std::string_view flag, const std::string& given,
                    const std::vector<std::string>& names) {
  if (std::find(names.begin(), names.end(), given) == names.end()) {
    refuse(flag, given, fmt::format("one of {}", fmt::join(names, ", ")));
  }
}

void validate_speakers(const SpeakerRequest& request) {
  require_count("--num-speakers", request.num);
  require_count("--min-speakers", request.min);
  require_count("--max-speakers", request.max);
  if (!request.num && request.min && request.max &&
      *request.min > *request.max) {
    throw FatalError(fmt::format(
        "--min-speakers: {} given, at most the {} of --max-speakers expected",
        *request.min, *request.max));
  }
}

void validate_step(std::optional<double> step) {
  if (!step) return;
  const double hundredths = *step * 100;
  if (!(*step >= 0.01 && *step <= 10.0) ||
      std::abs(hundredths - std::round(hundredths)) > 1e-6) {
    refuse("--step", fmt::format("{}", *step),
           "a multiple of 0.01 s between 0.01 and 10");
  }
}

void validate_output(const OutputOptions& options) {
  for (const std::string& format : options.formats) {
    require_one_of("--format", format, report_formats());
  }
  if (options.output_dir.empty() && options.formats.size() > 1) {
    throw FatalError(
        "--format: several formats need --output-dir, since standard output "
        "takes only one");
  }
  if (options.output_dir.empty() && options.skip_existing) {
    throw FatalError(
        "--skip-existing: needs --output-dir, where the outputs would be");
  }
}

}  // namespace

Options::Options() { machine.threads = available_cores(); }

void add_options(CLI::App& app, Options& options) {
  add_inputs(app, options.input);
  add_outputs(app, options.output);
  add_batch(app, options.output, options.batch);
  add_turns(app, options.turns);
  add_pipeline(app, options.pipeline);
  add_audio(app, options.audio);
  add_machine(app, options.machine);
  add_decoders(app, options.machine);
  add_memory(app, options.machine);
  add_talk(app, options.talk);
}

void validate(const Options& options) {
  validate_output(options.output);
  require_one_of("--preset", options.pipeline.preset, {"balanced", "fast"});
  validate_step(options.pipeline.step);
  validate_speakers(options.turns.speakers);
  if (options.turns.threshold && !std::isfinite(*options.turns.threshold)) {
    refuse("--threshold", fmt::format("{}", *options.turns.threshold),
           "a number");
  }
  require_seconds("--min-duration-on", options.turns.min_duration_on);
  require_seconds("--min-duration-off", options.turns.min_duration_off);
  if (options.audio.channel != "mix" && options.audio.channel != "each" &&
      !count_from_1(options.audio.channel)) {
    refuse("--channel", options.audio.channel,
           "mix, each or a number from 1 on");
  }
  require_one_of("--resampler", options.audio.resampler,
                 {"auto", "sinc", "libsamplerate"});
  require_seconds("--start", options.audio.start);
  require_seconds("--duration", options.audio.duration);
  if (options.audio.duration && *options.audio.duration < kLeastDuration) {
    refuse("--duration", fmt::format("{}", *options.audio.duration),
           "at least a millisecond");
  }
  require_one_of("--progress", options.talk.progress, {"auto", "on", "off"});
  require_one_of("--log-format", options.talk.log_format, {"text", "json"});
  require_workers("--decode-workers", options.machine.decode_workers, 0);
  require_timeout(options.machine.decode_timeout);
  require_workers("-t, --threads", options.machine.threads, 1);
  if (options.machine.batch_size != "auto" &&
      !count_from_1(options.machine.batch_size)) {
    refuse("--batch-size", options.machine.batch_size,
           "auto or a number from 1 on");
  }
  if (!options.machine.memory_limit.empty() &&
      !parse_bytes(options.machine.memory_limit)) {
    refuse("--memory-limit", options.machine.memory_limit,
           "bytes such as 500M or 2G");
  }
}

std::optional<int> selected_channel(const AudioOptions& options) {
  return count_from_1(options.channel);
}

std::optional<std::size_t> memory_limit_bytes(const MachineOptions& options) {
  return parse_bytes(options.memory_limit);
}

std::optional<int> batch_chunks(const MachineOptions& options) {
  return count_from_1(options.batch_size);
}

std::string chosen_device(const MachineOptions& options) {
  if (options.device == "auto" || options.device == "cpu") return "cpu";
  throw FatalError(fmt::format(
      "--device: {} is not in this build; devices: cpu", options.device));
}

Precision chosen_precision(const MachineOptions& options) {
  const std::vector<Precision> available = available_precisions();
  if (options.precision == "auto") return available.back();
  std::string names;
  for (const Precision precision : available) {
    if (name_of(precision) == options.precision) return precision;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", name_of(precision));
  }
  const bool is_of_gpus =
      options.precision == "tf32" || options.precision == "fp16";
  throw FatalError(fmt::format(
      "--precision: {} is not for {}; there are: {}", options.precision,
      is_of_gpus ? "processors, only for GPUs" : "this processor", names));
}

}  // namespace diarize
