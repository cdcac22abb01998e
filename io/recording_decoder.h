#pragma once

#include "io/decoder.h"

#include <filesystem>
#include <functional>

namespace diarize {

// One run over a file: decode_file, or DecoderPool::decode.
using DecodeOnce = std::function<DecodeReport(
    const std::filesystem::path&, const DecodeOptions&, const SampleSink&)>;

// Decodes a file as well as can be, which may take a second run:
// - what libsndfile does not open, or reads short of what the file promises
//   (a damaged FLAC or MP3, joined MP3, chained Ogg), is read through ffmpeg
//   where there is one; what libsndfile read stays where ffmpeg reads no more;
// - two channels that cancel each other out in their mean are replaced by the
//   louder one.
// Before a further run `restart` is called: what the sink was given so far is
// void. Standard input (path `-`) is read once, with a warning instead.
//
// What was done and why is in the warnings of the report. Throws what
// `decode_once` does.
[[nodiscard]] DecodeReport decode_recording(
    const DecodeOnce& decode_once, const std::filesystem::path& path,
    const DecodeOptions& options, const SampleSink& sink,
    const std::function<void()>& restart);

}  // namespace diarize
