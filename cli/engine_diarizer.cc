#include "cli/engine_diarizer.h"

#include "cli/model_lookup.h"
#include "cli/pipeline.h"
#include "core/sliding_window.h"

#include <fmt/format.h>

#include <map>
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

EngineDiarizer::Decoded EngineDiarizer::decode(const Job& job,
                                               const DecodeOptions& options,
                                               Progress& progress) {
  Session session = engine_.open(session_);
  DecodeReport report =
      decode_file(job.input, options, [&](std::span<const float> samples) {
        session.push(samples);
        progress.advance(static_cast<double>(samples.size()) / kSampleRate);
      });
  return {std::move(session), std::move(report)};
}

EngineDiarizer::Decoded EngineDiarizer::louder_channel(const Job& job,
                                                       Decoded mixed,
                                                       Progress& progress) {
  const int channel = *mixed.report.cancelled_channel;
  std::string warning = fmt::format(
      "the two channels cancel each other out: channel {} ", channel);
  if (job.is_standard_input()) {
    mixed.report.warnings.push_back(warning +
                                    "alone may give more (--channel)");
    return mixed;
  }
  DecodeOptions options = decoding_;
  options.channel = channel;
  Decoded louder = decode(job, options, progress);
  louder.report.warnings.push_back(warning + "is used instead of their mean");
  return louder;
}

DiarizedFile EngineDiarizer::diarize(const Job& job, Progress& progress) {
  Decoded decoded = decode(job, decoding_, progress);
  if (decoded.report.cancelled_channel) {
    decoded = louder_channel(job, std::move(decoded), progress);
  }
  DiarizedFile file;
  file.warnings = std::move(decoded.report.warnings);
  file.details = details_of(decoded.report);
  file.diarization = decoded.session.finish().get();
  return file;
}

std::unique_ptr<FileDiarizer> load_engine_diarizer(const Options& options,
                                                   Console& console) {
  const auto folder = find_model(options.pipeline.model, program_folder());
  Pipeline pipeline = load_pipeline(folder, options.pipeline, options.turns);
  console.detail(fmt::format("model {}", folder.string()));
  return std::make_unique<EngineDiarizer>(
      std::move(pipeline.networks), std::move(pipeline.recipe),
      engine_options(options.machine), decode_options(options.audio),
      options.turns.speakers);
}

}  // namespace diarize
