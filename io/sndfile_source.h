#pragma once

#include "core/error.h"
#include "io/audio_source.h"
#include "io/file_descriptor.h"
#include "io/waiting.h"

#include <memory>

namespace diarize {

// libsndfile does not open the file; something else might.
class UnreadableError : public InputError {
 public:
  using InputError::InputError;
};

// Opens what libsndfile reads: WAV in all encodings, AIFF, AU, CAF, W64, RF64,
// FLAC, Ogg Vorbis, Opus, MP3 and some more.
//
// The number of samples in a header is never trusted: what is there is read,
// to the end, and the header's word becomes `seconds_promised`. Sizes that
// were never filled in or that wrapped are recovered (see header_repair.h).
// A pipe is read as it comes where it carries a WAV whose samples stand one by
// one; anything else needs going back, so it is first copied into a nameless
// temporary file: `spool_file` if there is one, else one made here. Memory: one
// block and libsndfile's own state. `waiting` is for the bytes of a pipe.
//
// Throws UnreadableError, saying what the file is, where it is no audio that
// libsndfile can read; InputError where it is empty or has a rate outside of
// 1 kHz to 1 MHz.
[[nodiscard]] std::unique_ptr<AudioSource> open_sndfile(
    FileDescriptor file,
    std::optional<FileDescriptor> spool_file = std::nullopt,
    const Waiting& waiting = {});

}  // namespace diarize
