#pragma once

#include "io/audio_source.h"
#include "io/level.h"
#include "io/resample.h"
#include "io/waiting.h"

#include <filesystem>
#include <functional>

namespace diarize {

// How a file becomes 16 kHz mono.
struct DecodeOptions {
  // The one channel to take, counted from 1; none: the mean of all.
  std::optional<int> channel;
  ResamplerKind resampler = ResamplerKind::kAuto;
  // The part of the file to take, in seconds, rounded to whole samples of the
  // file; without `duration` all to the end. Both at least 0.
  double start = 0.0;
  std::optional<double> duration;
  // Reads through an ffmpeg process even what libsndfile reads.
  bool through_ffmpeg = false;
  // For pipes and for processes that decode. A process that gives nothing for
  // so long hangs; whoever writes into a pipe may take a rest of any length.
  Waiting waiting{std::chrono::seconds(30), {}};
};

// Beyond the largest of 32-bit integers, which some files hold as floats, a
// sample is no sound on any scale.
inline constexpr float kMostMagnitude = 2147483648.0F;

// What decoding took, s, without the time in which the sink waited.
struct DecodeTimes {
  double read = 0.0;      // of bytes, waiting for a pipe included
  double decode = 0.0;    // of samples
  double resample = 0.0;  // levels and mixing included
};

// What was seen on the way.
struct DecodeReport {
  AudioFormat format;            // of the file
  std::int64_t num_samples = 0;  // at 16 kHz, handed to the sink
  // From the beginning of the file to where reading ended: at the end of the
  // file or of the part asked for.
  double seconds_read = 0.0;
  std::optional<double> seconds_promised;  // by header and stream
  // Over the file's own samples in the part and the channels that were taken.
  Level level;
  // The louder of two channels that cancel each other out: their mean is more
  // than 20 dB below it. To be decoded again with `channel` set to this, where
  // the input can be read twice.
  std::optional<int> cancelled_channel;  // from 1
  bool may_hold_more = false;            // see SourceReport
  DecodeTimes times;
  std::vector<std::string> warnings;  // sentences, without the path
};

// Takes 16 kHz mono samples, a piece at a time, never an empty one. May wait
// (back-pressure) and may throw (decoding then stops).
using SampleSink = std::function<void(std::span<const float>)>;

// Decodes one source: channels, then resampling, block by block; memory does
// not depend on length, rate or channels. A source that ends before its header
// says is a warning that names both times.
//
// Samples beyond kMostMagnitude are taken as full scale, with a warning, since
// one of them would hide all others from the networks; samples far beyond full
// scale are left as they are, with a warning too.
// Throws InputError where there is no such channel, no sample at all, nothing
// behind `start`, or a sample that is NaN or infinite (naming the second).
[[nodiscard]] DecodeReport decode(AudioSource& source,
                                  const DecodeOptions& options,
                                  const SampleSink& sink);

// "ends at 9.37 s, its header promises 23.26 s", if that is so.
[[nodiscard]] std::optional<std::string> shortfall(
    double seconds_read, std::optional<double> seconds_promised);

// Opens a file, or standard input if the path is `-`, and decodes it in this
// process, through ffmpeg where only that can. Also throws what opening throws
// (see audio_input.h and sndfile_source.h).
[[nodiscard]] DecodeReport decode_file(const std::filesystem::path& path,
                                       const DecodeOptions& options,
                                       const SampleSink& sink);

// What the header of a file says, at the cost of opening it; for a file that
// ffmpeg has to read, as decode_file but without `seconds_promised`. Takes
// away the first bytes of a pipe.
struct AudioInfo {
  AudioFormat format;
  std::optional<double> seconds_promised;
};
[[nodiscard]] AudioInfo probe_file(const std::filesystem::path& path,
                                   const Waiting& waiting = {});

}  // namespace diarize
