#include "cli/engine_diarizer.h"

#include "cli/config_layers.h"
#include "cli/model_lookup.h"
#include "cli/pipeline.h"
#include "core/sliding_window.h"
#include "io/recording_decoder.h"

#include <fmt/format.h>

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
  return result;
}

EngineOptions engine_options(const MachineOptions& options) {
  EngineOptions result;
  result.num_consumers = options.threads;
  result.max_batch_chunks =
      batch_chunks(options).value_or(result.max_batch_chunks);
  return result;
}

std::vector<std::string> details_of(const DecodeReport& report) {
  return {fmt::format(
      "{} Hz, {} channel{}, RMS {:.1f} dBFS, peak {:.1f} dBFS "
      "at {:.2f} s",
      report.format.sample_rate, report.format.num_channels,
      report.format.num_channels == 1 ? "" : "s", report.level.rms_dbfs,
      report.level.peak_dbfs, report.level.peak_seconds)};
}

}  // namespace

EngineDiarizer::EngineDiarizer(std::shared_ptr<const Networks> networks,
                               std::shared_ptr<const Recipe> recipe,
                               const EngineOptions& engine,
                               const DecodeOptions& decoding,
                               const SpeakerRequest& speakers)
    : engine_(std::move(networks), std::move(recipe), engine),
      decoding_(decoding),
      session_{speakers} {}

DiarizedFile EngineDiarizer::diarize(const Job& job, Progress& progress) {
  std::optional<Session> session = engine_.open(session_);
  const auto push = [&](std::span<const float> samples) {
    session->push(samples);
    progress.advance(static_cast<double>(samples.size()) / kSampleRate);
  };
  const auto restart = [&] {
    session.reset();
    session.emplace(engine_.open(session_));
  };
  DecodeReport report =
      decode_recording(decode_file, job.input, decoding_, push, restart);
  DiarizedFile file;
  file.warnings = std::move(report.warnings);
  file.details = details_of(report);
  file.diarization = session->finish().get();
  return file;
}

std::unique_ptr<FileDiarizer> load_engine_diarizer(const Options& options,
                                                   Console& console) {
  const auto folder = find_model(options.pipeline.model, program_folder());
  const std::vector<std::string>& paths = options.pipeline.model_paths;
  const ModelDirectory model = read_model_directory(
      folder, {{paths.begin(), paths.end()}, hub_caches(process_environment)});
  Pipeline pipeline = load_pipeline(model, options.pipeline, options.turns);
  console.detail(
      fmt::format("model {}: {}", folder.string(), name_of(model.kind)));
  return std::make_unique<EngineDiarizer>(
      std::move(pipeline.networks), std::move(pipeline.recipe),
      engine_options(options.machine), decode_options(options.audio),
      options.turns.speakers);
}

}  // namespace diarize
