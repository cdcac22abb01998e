#include "io/decode_protocol.h"

#include "core/error.h"
#include "io/wire.h"

#include <cmath>

namespace diarize {

namespace {

constexpr std::int64_t kMaxWarnings = 1000;

void put_level(WireWriter& writer, const Level& level) {
  writer.put(level.rms_dbfs);
  writer.put(level.peak_dbfs);
  writer.put(level.peak_seconds);
}

double get_duration(WireReader& reader) {
  const double seconds = reader.get_double();
  if (std::isfinite(seconds) && seconds >= 0.0) return seconds;
  throw InputError("the decoder process sent no sensible report");
}

Level get_level(WireReader& reader) {
  Level level;
  level.rms_dbfs = reader.get_double();
  level.peak_dbfs = reader.get_double();
  level.peak_seconds = reader.get_double();
  return level;
}

}  // namespace

std::vector<std::byte> encode_options(const DecodeOptions& options) {
  WireWriter writer;
  writer.put(options.channel);
  writer.put(static_cast<std::int64_t>(options.resampler));
  writer.put(options.start);
  writer.put(options.duration);
  return writer.bytes();
}

DecodeOptions parse_options(std::span<const std::byte> payload) {
  WireReader reader(payload);
  DecodeOptions options;
  options.channel = reader.get_optional_int();
  const std::int64_t resampler = reader.get_integer();
  if (resampler < 0 ||
      resampler > static_cast<std::int64_t>(ResamplerKind::kLibsamplerate)) {
    throw InputError("the decoder process was asked for no known resampler");
  }
  options.resampler = static_cast<ResamplerKind>(resampler);
  options.start = reader.get_double();
  options.duration = reader.get_optional_double();
  return options;
}

std::vector<std::byte> encode_report(const DecodeReport& report) {
  WireWriter writer;
  writer.put(std::int64_t{report.format.sample_rate});
  writer.put(std::int64_t{report.format.num_channels});
  writer.put(report.format.encoding);
  writer.put(report.num_samples);
  writer.put(report.seconds_read);
  writer.put(report.seconds_promised);
  put_level(writer, report.level);
  writer.put(report.cancelled_channel);
  writer.put(std::int64_t{report.may_hold_more});
  writer.put(report.times.read);
  writer.put(report.times.decode);
  writer.put(report.times.resample);
  writer.put(std::ssize(report.warnings));
  for (const auto& warning : report.warnings) writer.put(warning);
  return writer.bytes();
}

DecodeReport parse_report(std::span<const std::byte> payload) {
  WireReader reader(payload);
  DecodeReport report;
  report.format.sample_rate = static_cast<int>(reader.get_integer());
  report.format.num_channels = static_cast<int>(reader.get_integer());
  report.format.encoding = reader.get_string();
  report.num_samples = reader.get_integer();
  report.seconds_read = reader.get_double();
  report.seconds_promised = reader.get_optional_double();
  report.level = get_level(reader);
  report.cancelled_channel = reader.get_optional_int();
  report.may_hold_more = reader.get_integer() != 0;
  report.times.read = get_duration(reader);
  report.times.decode = get_duration(reader);
  report.times.resample = get_duration(reader);
  const std::int64_t num_warnings = reader.get_integer();
  if (num_warnings < 0 || num_warnings > kMaxWarnings) {
    throw InputError("the decoder process sent no sensible report");
  }
  for (std::int64_t number = 0; number < num_warnings; ++number) {
    report.warnings.push_back(reader.get_string());
  }
  return report;
}

}  // namespace diarize
