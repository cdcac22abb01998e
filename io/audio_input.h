#pragma once

#include "io/decoder.h"
#include "io/ffmpeg.h"
#include "io/file_descriptor.h"
#include "io/waiting.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace diarize {

// All of a pipe in a nameless temporary file, for what has to read it more than
// once (each channel on its own, for example).
class KeptInput {
 public:
  // Reads a named pipe or, if the path is `-`, standard input to its end.
  // Throws InputError as spool() and open_audio_file() do, and what the check
  // of `waiting` throws; its timeout does not count.
  explicit KeptInput(const std::filesystem::path& path,
                     const Waiting& waiting = {});

  // Opens like any file, as often as wanted, as long as this lives.
  [[nodiscard]] std::filesystem::path path() const;

 private:
  FileDescriptor file_;
};

// An input that has been opened, ready to be handed to open_sndfile in this
// process or in another: the file itself or, where only ffmpeg reads it, the
// pipe that ffmpeg writes into.
class AudioInput {
 public:
  // path: `-` is standard input. What ffmpeg has to read from a pipe is copied
  // into a nameless temporary file first. Waits for the first byte of a pipe.
  // Throws InputError if the path cannot be opened (see file_descriptor.h), or
  // if ffmpeg is needed and not there; what the check of `waiting` throws.
  AudioInput(const std::filesystem::path& path, bool through_ffmpeg,
             const Waiting& waiting = {});

  [[nodiscard]] const FileDescriptor& file() const { return file_; }

  // Whether the bytes come from a file on a disk, be it through ffmpeg.
  [[nodiscard]] bool on_disk() const { return on_disk_; }

  // How to wait for what is read from file(): a pipe may rest for any time, a
  // file on a disk may not.
  [[nodiscard]] Waiting waiting(const Waiting& asked) const {
    return on_disk_ ? asked : asked.without_timeout();
  }

  // Whether file() is a file on a disk, so that reading it never needs a copy.
  [[nodiscard]] bool seekable() const { return on_disk_ && !ffmpeg_; }

  // Decodes from file() by `decode_from`, which hands samples to the sink it is
  // given. The report then also holds what ffmpeg complained of, and where
  // ffmpeg gave nothing at all, InputError says why.
  [[nodiscard]] DecodeReport run(
      const std::function<DecodeReport(const SampleSink&)>& decode_from,
      const DecodeOptions& options, const SampleSink& sink);

 private:
  [[nodiscard]] DecodeReport with_complaints(DecodeReport report);
  void explain_failure();

  FileDescriptor file_;
  bool on_disk_ = false;
  std::string container_;  // in words
  std::optional<FfmpegProcess> ffmpeg_;
};

}  // namespace diarize
