#include "cli/engine_diarizer.h"

#include "cli/byte_size.h"
#include "cli/config_layers.h"
#include "cli/free_memory.h"
#include "cli/model_lookup.h"
#include "cli/pipeline.h"
#include "core/engine/audio_memory.h"
#include "core/error.h"
#include "core/sliding_window.h"
#include "io/audio_input.h"
#include "io/decoder_pool.h"
#include "io/length_estimate.h"
#include "io/level.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

namespace diarize {
namespace {

DecodeOptions decode_options(const AudioOptions& options,
                             const MachineOptions& machine) {
  static const std::map<std::string, ResamplerKind> kResamplers{
      {"auto", ResamplerKind::kAuto},
      {"sinc", ResamplerKind::kSinc},
      {"libsamplerate", ResamplerKind::kLibsamplerate}};
  DecodeOptions result;
  result.channel = selected_channel(options);
  result.resampler = kResamplers.at(options.resampler);
  result.start = options.start;
  result.duration = options.duration;
  result.waiting.timeout =
      std::chrono::milliseconds(std::llround(1000.0 * machine.decode_timeout));
  return result;
}

// Samples of a file on their way from its decoder into its session: two
// messages, each also as samples, and the buffer of the socket.
constexpr std::size_t kFeederBytes = std::size_t{1} << 20;

// Bytes of audio in flight: what keeps the networks busy, within what the
// options or else a quarter of the free memory allow.
std::size_t audio_bytes(const MachineOptions& options,
                        const ChunkLayout& layout,
                        const EngineOptions& engine) {
  const AudioMemory memory = audio_memory(layout, engine.feeder_bytes);
  const std::optional<std::size_t> asked = memory_limit_bytes(options);
  if (asked && *asked < memory.least()) {
    throw FatalError(fmt::format(
        "--memory-limit: {} given, at least {} expected: a recording that is "
        "read and a block of it in the networks take as much",
        options.memory_limit, bytes_text(memory.least())));
  }
  const std::size_t ample = ample_budget(memory, layout, engine.num_consumers,
                                         engine.max_batch_chunks)
                                .total();
  return std::min(ample, asked.value_or(free_memory_bytes() / 4));
}

EngineOptions engine_options(const MachineOptions& options,
                             const ChunkLayout& layout,
                             std::shared_ptr<StageTimes> stage_times) {
  EngineOptions result;
  result.stage_times = std::move(stage_times);
  result.num_consumers = options.threads;
  result.max_batch_chunks =
      batch_chunks(options).value_or(result.max_batch_chunks);
  result.feeder_bytes = kFeederBytes;
  result.max_bytes_in_flight = audio_bytes(options, layout, result);
  return result;
}

// Decoder processes for the options; null to decode in this process, which is
// also so where none are asked for and their program is not installed.
std::unique_ptr<DecoderPool> make_decoders(const MachineOptions& options) {
  const std::filesystem::path program = decoder_program();
  const bool is_there = std::filesystem::exists(program);
  const int num_workers =
      options.decode_workers.value_or(is_there ? options.threads : 0);
  if (num_workers == 0) return nullptr;
  DecoderPoolOptions pool;
  pool.num_workers = num_workers;
  pool.program = program;
  return std::make_unique<DecoderPool>(pool);
}

// Finds the model that the options name.
ModelDirectory read_named_directory(const Options& options) {
  const auto folder = find_model(options.pipeline.model, program_folder());
  const std::vector<std::string>& paths = options.pipeline.model_paths;
  return read_model_directory(
      folder, {{paths.begin(), paths.end()}, hub_caches(process_environment)});
}

std::string detail_of(const AudioFormat& format, const Level& level) {
  return fmt::format(
      "{} Hz, {} channel{}, RMS {:.1f} dBFS, peak {:.1f} dBFS at {:.2f} s",
      format.sample_rate, format.num_channels,
      format.num_channels == 1 ? "" : "s", level.rms_dbfs, level.peak_dbfs,
      level.peak_seconds);
}

// Takes over what is not there yet: each channel's run has the same to say of
// the file.
void add_new(std::vector<std::string> warnings, std::vector<std::string>& all) {
  for (std::string& warning : warnings) {
    if (std::ranges::find(all, warning) != all.end()) continue;
    all.push_back(std::move(warning));
  }
}

// What a future gives; gives up where `check` throws meanwhile.
Diarization wait_for(std::future<Diarization> future,
                     const std::function<void()>& check) {
  constexpr std::chrono::milliseconds kCheckInterval{50};
  while (future.wait_for(kCheckInterval) != std::future_status::ready) check();
  return future.get();
}

void move_by(double seconds, Turns& turns) {
  for (Turn& turn : turns) turn.onset += seconds;
}

}  // namespace

EngineDiarizer::EngineDiarizer(const Pipeline& pipeline, std::string model,
                               const Options& options)
    : model_(std::move(model)),
      stage_times_(options.batch.profile.empty()
                       ? nullptr
                       : std::make_shared<StageTimes>()),
      engine_(pipeline.networks, pipeline.recipe,
              engine_options(options.machine, pipeline.recipe->chunk_layout(),
                             stage_times_)),
      decoding_(decode_options(options.audio, options.machine)),
      each_channel_(options.audio.channel == "each"),
      request_(options.turns.speakers),
      measures_files_(!options.batch.manifest.empty()),
      decoders_(make_decoders(options.machine)) {}

EngineDiarizer::~EngineDiarizer() = default;

EngineDiarizer::Read EngineDiarizer::read(const std::filesystem::path& path,
                                          const DecodeOptions& decoding,
                                          const FileState& file) {
  const BatchState& batch = file.batch;
  DecodeOptions interruptible = decoding;
  interruptible.waiting.check = batch.check;
  std::optional<Session> session = engine_.open(file.session);
  const auto push = [&](std::span<const float> samples) {
    batch.check();
    session->push(samples);
    batch.progress.advance(file.job, static_cast<double>(samples.size()) /
                                         kSampleRate / file.num_channels);
  };
  const auto restart = [&] {
    session.reset();
    session.emplace(engine_.open(file.session));
  };
  DecodeReport report =
      decode_recording(decode_once(file.session.stage_times.get()), path,
                       interruptible, push, restart);
  // A decoder that heard the same signal may have ended early.
  batch.check();
  return {std::move(report), session->finish()};
}

std::vector<EngineDiarizer::Read> EngineDiarizer::read_channels(
    FileState& file) {
  const Job& job = file.job;
  std::error_code ignored;
  std::optional<KeptInput> kept;
  if (job.is_standard_input() ||
      !std::filesystem::is_regular_file(job.input, ignored)) {
    kept.emplace(job.input, Waiting{{}, file.batch.check});
  }
  const std::filesystem::path path =
      kept ? kept->path() : std::filesystem::path(job.input);
  DecodeOptions decoding = decoding_;
  std::vector<Read> channels;
  // The header's word is for the progress; what is read counts.
  file.num_channels = estimate_length(path).num_channels;
  int num_channels = 1;
  for (int channel = 1; channel <= num_channels; ++channel) {
    decoding.channel = channel;
    channels.push_back(read(path, decoding, file));
    num_channels = channels.front().report.format.num_channels;
    file.num_channels = num_channels;
  }
  return channels;
}

DiarizedFile EngineDiarizer::diarize(const Job& job, const BatchState& batch) {
  FileState state{job, batch, {request_, nullptr}};
  if (measures_files_) {
    state.session.stage_times = std::make_shared<StageTimes>();
  }
  std::vector<Read> recordings;
  if (each_channel_) {
    recordings = read_channels(state);
  } else {
    recordings.push_back(read(job.input, decoding_, state));
  }
  DiarizedFile file;
  file.diarization.by_channel = each_channel_;
  std::vector<Level> levels;
  for (Read& recording : recordings) {
    Diarization found = wait_for(std::move(recording.turns), batch.check);
    move_by(decoding_.start, found.turns);
    move_by(decoding_.start, found.exclusive_turns);
    file.diarization.channels.push_back(std::move(found));
    levels.push_back(recording.report.level);
    add_new(std::move(recording.report.warnings), file.warnings);
  }
  const Level level = level_together(levels);
  if (measures_files_) file.stage_seconds = state.session.stage_times->totals();
  file.details = {detail_of(recordings.front().report.format, level)};
  file.rms_dbfs = level.rms_dbfs;
  file.peak_dbfs = level.peak_dbfs;
  file.peak_seconds = level.peak_seconds;
  return file;
}

DecodeOnce EngineDiarizer::decode_once(StageTimes* file_times) const {
  return
      [this, file_times](const std::filesystem::path& path,
                         const DecodeOptions& options, const SampleSink& sink) {
        DecodeReport report = decoders_ ? decoders_->decode(path, options, sink)
                                        : decode_file(path, options, sink);
        for (StageTimes* times : {stage_times_.get(), file_times}) {
          if (times == nullptr) continue;
          times->add(Stage::kRead, report.times.read);
          times->add(Stage::kDecode, report.times.decode);
          times->add(Stage::kResample, report.times.resample);
        }
        return report;
      };
}

void check_engine_diarizer(const Options& options) {
  const std::shared_ptr<const Recipe> recipe = make_recipe(
      read_named_directory(options), options.pipeline, options.turns);
  static_cast<void>(
      engine_options(options.machine, recipe->chunk_layout(), nullptr));
}

std::unique_ptr<FileDiarizer> load_engine_diarizer(const Options& options,
                                                   Console& console) {
  const ModelDirectory model = read_named_directory(options);
  const Pipeline pipeline =
      load_pipeline(model, options.pipeline, options.turns,
                    chosen_precision(options.machine));
  console.detail(fmt::format("model {}: {}", model.directory.string(),
                             name_of(model.kind)));
  return std::make_unique<EngineDiarizer>(pipeline, model.directory.string(),
                                          options);
}

}  // namespace diarize
