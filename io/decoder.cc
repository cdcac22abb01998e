#include "io/decoder.h"

#include "core/engine/stopwatch.h"
#include "core/error.h"
#include "io/audio_input.h"
#include "io/channel_mix.h"
#include "io/sndfile_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace diarize {

namespace {

// A mean of two channels this far below the louder one is what is left of
// channels of opposite phase.
constexpr double kCancelledDb = 20.0;

// A hundred times full scale.
constexpr double kFarBeyondDbfs = 40.0;

// Infinity is for others to refuse.
bool is_no_sound(float sample) {
  const float magnitude = std::abs(sample);
  return magnitude > kMostMagnitude &&
         magnitude <= std::numeric_limits<float>::max();
}

// Frames of the file that are wanted: [first, end).
struct FrameRange {
  std::int64_t first = 0;
  std::int64_t end = std::numeric_limits<std::int64_t>::max();
};

// Two decimals, halves up as people round them: 23.255 is 23.26, though its
// double lies a little below.
std::string seconds_text(double seconds) {
  constexpr double kHalfUp = 1e-9;
  return fmt::format("{:.2f} s", seconds + kHalfUp);
}

FrameRange range_of(const DecodeOptions& options, int sample_rate) {
  FrameRange range;
  range.first = std::llround(options.start * sample_rate);
  if (options.duration) {
    range.end = range.first + std::llround(*options.duration * sample_rate);
  }
  return range;
}

// One run over a source.
class Decoding {
 public:
  Decoding(AudioSource& source, const DecodeOptions& options,
           const SampleSink& sink);

  [[nodiscard]] DecodeReport run();

 private:
  [[nodiscard]] std::span<const float> wanted_part(
      std::span<const float> block);
  void take(std::span<const float> interleaved);
  [[nodiscard]] std::vector<float> resampled(
      std::span<const float> interleaved);
  [[nodiscard]] std::vector<float> tame(std::span<const float> interleaved);
  void measure(std::span<const float> interleaved);
  void deliver(const std::vector<float>& samples);
  void check_something_was_read() const;
  void report_levels();
  void report_magnitudes();
  void report_length();

  AudioSource& source_;
  const DecodeOptions& options_;
  const SampleSink& sink_;
  const AudioFormat& format_;
  FrameRange range_;
  std::unique_ptr<Resampler> resampler_;
  std::vector<int> channels_;       // taken, from 0
  std::vector<LevelMeter> meters_;  // one a channel taken
  LevelMeter mean_meter_;           // of two channels
  std::int64_t num_frames_ = 0;     // gone by
  std::int64_t num_taken_ = 0;      // of them, in the part
  std::int64_t num_tamed_ = 0;      // samples that were no sound
  std::int64_t first_tamed_ = 0;    // frame in the part
  Stopwatch source_watch_;
  Stopwatch resample_watch_;
  DecodeReport report_;
};

Decoding::Decoding(AudioSource& source, const DecodeOptions& options,
                   const SampleSink& sink)
    : source_(source),
      options_(options),
      sink_(sink),
      format_(source.format()),
      range_(range_of(options, format_.sample_rate)),
      resampler_(make_resampler(format_.sample_rate, options.resampler)) {
  report_.format = format_;
  if (!options.channel) {
    for (int channel = 0; channel < format_.num_channels; ++channel) {
      channels_.push_back(channel);
    }
  } else if (*options.channel >= 1 &&
             *options.channel <= format_.num_channels) {
    channels_.push_back(*options.channel - 1);
  } else {
    throw InputError(fmt::format(
        "has {} channel{}, channel {} was asked for", format_.num_channels,
        format_.num_channels == 1 ? "" : "s", *options.channel));
  }
  meters_.resize(channels_.size());
}

DecodeReport Decoding::run() {
  while (num_frames_ < range_.end) {
    const std::span<const float> block =
        source_watch_.time([&] { return source_.read(); });
    if (block.empty()) break;
    if (const auto part = wanted_part(block); !part.empty()) take(part);
  }
  deliver(resample_watch_.time([&] { return resampler_->finish(); }));
  check_something_was_read();
  report_levels();
  report_length();
  report_magnitudes();
  return std::move(report_);
}

std::span<const float> Decoding::wanted_part(std::span<const float> block) {
  const std::int64_t channels = format_.num_channels;
  const std::int64_t frames = std::ssize(block) / channels;
  const std::int64_t first =
      std::clamp<std::int64_t>(range_.first - num_frames_, 0, frames);
  const std::int64_t end =
      std::clamp<std::int64_t>(range_.end - num_frames_, first, frames);
  num_frames_ += end < frames ? end : frames;
  return block.subspan(static_cast<std::size_t>(first * channels),
                       static_cast<std::size_t>((end - first) * channels));
}

void Decoding::take(std::span<const float> interleaved) {
  deliver(resample_watch_.time([&] { return resampled(interleaved); }));
  num_taken_ += std::ssize(interleaved) / format_.num_channels;
}

std::vector<float> Decoding::resampled(std::span<const float> interleaved) {
  std::vector<float> tamed;
  if (std::ranges::count_if(interleaved, is_no_sound) > 0) {
    tamed = tame(interleaved);
    interleaved = tamed;
  }
  measure(interleaved);
  const int channels = format_.num_channels;
  const std::vector<float> mono =
      options_.channel ? take_channel(interleaved, channels, channels_[0])
                       : mean_of_channels(interleaved, channels);
  if (channels_.size() == 2) mean_meter_.add(mono);
  return resampler_->push(mono);
}

// Notes what it replaces.
std::vector<float> Decoding::tame(std::span<const float> interleaved) {
  std::vector<float> samples(interleaved.begin(), interleaved.end());
  for (std::size_t place = 0; place < samples.size(); ++place) {
    float& sample = samples[place];
    if (!is_no_sound(sample)) continue;
    if (num_tamed_++ == 0) {
      first_tamed_ =
          static_cast<std::int64_t>(place) / format_.num_channels + num_taken_;
    }
    sample = std::copysign(1.0F, sample);
  }
  return samples;
}

void Decoding::measure(std::span<const float> interleaved) {
  for (std::size_t index = 0; index < channels_.size(); ++index) {
    meters_[index].add(
        take_channel(interleaved, format_.num_channels, channels_[index]));
    if (const auto place = meters_[index].non_finite()) {
      throw InputError(fmt::format(
          "holds a sample that is no number (NaN or infinite) at {:.3f} s in "
          "channel {}, expected finite samples",
          static_cast<double>(range_.first + *place) / format_.sample_rate,
          channels_[index] + 1));
    }
  }
}

void Decoding::deliver(const std::vector<float>& samples) {
  if (samples.empty()) return;
  report_.num_samples += std::ssize(samples);
  sink_(samples);
}

void Decoding::check_something_was_read() const {
  const double seconds = static_cast<double>(num_frames_) / format_.sample_rate;
  if (num_frames_ == 0) {
    throw InputError(
        fmt::format("holds no samples ({}), expected audio", format_.encoding));
  }
  if (num_frames_ <= range_.first) {
    throw InputError(
        fmt::format("ends at {}, expected more behind the start asked for, {}",
                    seconds_text(seconds), seconds_text(options_.start)));
  }
}

void Decoding::report_levels() {
  LevelMeter all;
  for (const LevelMeter& meter : meters_) all.merge(meter);
  report_.level = all.level(format_.sample_rate);
  report_.level.peak_seconds += options_.start;
  if (channels_.size() != 2) return;
  const double first = meters_[0].level(format_.sample_rate).rms_dbfs;
  const double second = meters_[1].level(format_.sample_rate).rms_dbfs;
  const double mean = mean_meter_.level(format_.sample_rate).rms_dbfs;
  if (mean < std::max(first, second) - kCancelledDb) {
    report_.cancelled_channel = first >= second ? 1 : 2;
  }
}

void Decoding::report_magnitudes() {
  if (num_tamed_ > 0) {
    report_.warnings.push_back(fmt::format(
        "{} sample{} beyond what any scale holds, the first at {:.3f} s, {} "
        "taken as full scale",
        num_tamed_, num_tamed_ == 1 ? "" : "s",
        static_cast<double>(range_.first + first_tamed_) / format_.sample_rate,
        num_tamed_ == 1 ? "was" : "were"));
  }
  if (report_.level.peak_dbfs > kFarBeyondDbfs) {
    report_.warnings.push_back(fmt::format(
        "its samples reach {:.3g} times full scale, at {:.2f} s: where only "
        "some do, the speech around them is missed",
        std::pow(10.0, report_.level.peak_dbfs / 20.0),
        report_.level.peak_seconds));
  }
}

void Decoding::report_length() {
  const SourceReport seen = source_.report();
  report_.warnings = seen.warnings;
  report_.may_hold_more = seen.may_hold_more;
  report_.seconds_promised = seen.seconds_promised;
  report_.times = {seen.byte_seconds,
                   std::max(source_watch_.seconds() - seen.byte_seconds, 0.0),
                   resample_watch_.seconds()};
  report_.seconds_read = static_cast<double>(num_frames_) / format_.sample_rate;
  if (num_frames_ >= range_.end) return;
  if (auto warning =
          shortfall(report_.seconds_read, report_.seconds_promised)) {
    report_.warnings.push_back(std::move(*warning));
  }
}

}  // namespace

std::optional<std::string> shortfall(double seconds_read,
                                     std::optional<double> seconds_promised) {
  if (seconds_promised.value_or(0.0) <= seconds_read + kToleratedSeconds) {
    return std::nullopt;
  }
  return fmt::format("ends at {}, its header promises {}",
                     seconds_text(seconds_read),
                     seconds_text(*seconds_promised));
}

DecodeReport decode(AudioSource& source, const DecodeOptions& options,
                    const SampleSink& sink) {
  return Decoding(source, options, sink).run();
}

DecodeReport decode_file(const std::filesystem::path& path,
                         const DecodeOptions& options, const SampleSink& sink) {
  AudioInput input(path, options.through_ffmpeg, options.waiting);
  const auto decode_from = [&](const SampleSink& target) {
    const auto source = open_sndfile(duplicate(input.file().number()), {},
                                     input.waiting(options.waiting));
    return decode(*source, options, target);
  };
  return input.run(decode_from, options, sink);
}

AudioInfo probe_file(const std::filesystem::path& path,
                     const Waiting& waiting) {
  const AudioInput input(path, false, waiting);
  const auto source = open_sndfile(duplicate(input.file().number()), {},
                                   input.waiting(waiting));
  return {source->format(), source->report().seconds_promised};
}

}  // namespace diarize
