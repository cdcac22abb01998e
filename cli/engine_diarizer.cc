#include "cli/engine_diarizer.h"

#include "cli/config_layers.h"
#include "cli/model_lookup.h"
#include "cli/pipeline.h"
#include "core/sliding_window.h"
#include "io/decoder_pool.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

namespace diarize {
namespace {

DecodeOptions decode_options(const AudioOptions& options) {
  static const std::map<std::string, ResamplerKind> kResamplers{
      {"auto", ResamplerKind::kAuto},
      {"sinc", ResamplerKind::kSinc},
      {"libsamplerate", ResamplerKind::kLibsamplerate}};
  DecodeOptions result;
  result.channel = selected_channel(options);
  result.resampler = kResamplers.at(options.resampler);
  result.start = options.start;
  result.duration = options.duration;
  return result;
}

EngineOptions engine_options(const MachineOptions& options,
                             std::shared_ptr<StageTimes> stage_times) {
  EngineOptions result;
  result.stage_times = std::move(stage_times);
  result.num_consumers = options.threads;
  result.max_batch_chunks =
      batch_chunks(options).value_or(result.max_batch_chunks);
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

std::vector<std::string> details_of(const DecodeReport& report) {
  return {fmt::format(
      "{} Hz, {} channel{}, RMS {:.1f} dBFS, peak {:.1f} dBFS "
      "at {:.2f} s",
      report.format.sample_rate, report.format.num_channels,
      report.format.num_channels == 1 ? "" : "s", report.level.rms_dbfs,
      report.level.peak_dbfs, report.level.peak_seconds)};
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

double seconds_between(std::chrono::steady_clock::time_point start,
                       std::chrono::steady_clock::time_point end) {
  return std::chrono::duration<double>(end - start).count();
}

}  // namespace

EngineDiarizer::EngineDiarizer(const Pipeline& pipeline, std::string model,
                               const Options& options)
    : model_(std::move(model)),
      stage_times_(options.batch.profile.empty()
                       ? nullptr
                       : std::make_shared<StageTimes>()),
      engine_(pipeline.networks, pipeline.recipe,
              engine_options(options.machine, stage_times_)),
      decoding_(decode_options(options.audio)),
      session_{options.turns.speakers},
      decoders_(make_decoders(options.machine)) {}

EngineDiarizer::~EngineDiarizer() = default;

DiarizedFile EngineDiarizer::diarize(const Job& job, const BatchState& batch) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  std::optional<Session> session = engine_.open(session_);
  double push_seconds = 0.0;
  const auto push = [&](std::span<const float> samples) {
    batch.check();
    const Clock::time_point before = Clock::now();
    session->push(samples);
    push_seconds += seconds_between(before, Clock::now());
    batch.progress.advance(static_cast<double>(samples.size()) / kSampleRate);
  };
  const auto restart = [&] {
    session.reset();
    session.emplace(engine_.open(session_));
  };
  DecodeReport report =
      decode_recording(decode_once(), job.input, decoding_, push, restart);
  const Clock::time_point end_of_audio = Clock::now();
  if (stage_times_) {
    stage_times_->add(Stage::kDecode,
                      seconds_between(start, end_of_audio) - push_seconds);
  }
  DiarizedFile file;
  file.diarization = wait_for(session->finish(), batch.check);
  move_by(decoding_.start, file.diarization.turns);
  move_by(decoding_.start, file.diarization.exclusive_turns);
  file.read_seconds = seconds_between(start, end_of_audio);
  file.finish_seconds = seconds_between(end_of_audio, Clock::now());
  file.warnings = std::move(report.warnings);
  file.details = details_of(report);
  file.rms_dbfs = report.level.rms_dbfs;
  file.peak_dbfs = report.level.peak_dbfs;
  file.peak_seconds = report.level.peak_seconds;
  return file;
}

DecodeOnce EngineDiarizer::decode_once() const {
  if (!decoders_) return decode_file;
  return [this](const std::filesystem::path& path, const DecodeOptions& options,
                const SampleSink& sink) {
    return decoders_->decode(path, options, sink);
  };
}

std::unique_ptr<FileDiarizer> load_engine_diarizer(const Options& options,
                                                   Console& console) {
  const auto folder = find_model(options.pipeline.model, program_folder());
  const std::vector<std::string>& paths = options.pipeline.model_paths;
  const ModelDirectory model = read_model_directory(
      folder, {{paths.begin(), paths.end()}, hub_caches(process_environment)});
  const Pipeline pipeline =
      load_pipeline(model, options.pipeline, options.turns);
  console.detail(
      fmt::format("model {}: {}", folder.string(), name_of(model.kind)));
  return std::make_unique<EngineDiarizer>(pipeline, folder.string(), options);
}

}  // namespace diarize
