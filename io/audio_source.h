#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace diarize {

// A block holds at most this many samples, all channels together, so that
// memory depends neither on the length of a file nor on its rate or channels.
inline constexpr std::size_t kMaxBlockSamples = 1 << 16;

// Ends this much before the promised one are not worth a word: lossy codecs
// round to their frames.
inline constexpr double kToleratedSeconds = 0.05;

// How the samples of a file are laid out.
struct AudioFormat {
  int sample_rate = 0;   // Hz
  int num_channels = 0;  // at least 1
  std::string encoding;  // for people: "WAV (Microsoft), Signed 16 bit PCM"
};

// What a source saw on the way, complete once it has been read to its end.
struct SourceReport {
  std::int64_t num_frames = 0;  // samples a channel
  // What header and stream promised; none where they promise nothing, as in a
  // WAV that was written into a pipe.
  std::optional<double> seconds_promised;
  // The decoder stopped before the end of the file: another might read on.
  bool may_hold_more = false;
  std::vector<std::string> warnings;  // sentences, without the path
  // What reading the bytes took, waiting for a pipe included, s.
  double byte_seconds = 0.0;
};

// The samples of one file, block by block, at the file's own rate and number
// of channels. One owner, one thread.
class AudioSource {
 public:
  virtual ~AudioSource() = default;

  [[nodiscard]] virtual const AudioFormat& format() const = 0;

  // The next block, interleaved: (num_frames, num_channels) in [-1, 1], though
  // floating-point files may go beyond and may hold what is no number. Valid
  // until the next call. Empty at the end and from then on. Throws InputError
  // where the file cannot be read.
  [[nodiscard]] virtual std::span<const float> read() = 0;

  [[nodiscard]] virtual SourceReport report() const = 0;
};

}  // namespace diarize
