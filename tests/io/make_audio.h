#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace diarize::test {

// (num_frames, num_channels) of tones that differ from channel to channel, of
// magnitude below 0.5.
[[nodiscard]] std::vector<float> tones(std::int64_t num_frames,
                                       int num_channels, int sample_rate);

// Writes samples with libsndfile. format: major and subtype, as SF_FORMAT_….
// Fails the test if libsndfile cannot.
void write_audio(const std::filesystem::path& path,
                 const std::vector<float>& interleaved, int num_channels,
                 int sample_rate, int format);

// A 16-bit mono WAV at 16 kHz with a header of 44 bytes that says `riff_size`
// and `data_size`, whatever its samples are.
[[nodiscard]] std::string wav_bytes(const std::vector<std::int16_t>& samples,
                                    std::uint32_t riff_size,
                                    std::uint32_t data_size);

// One that says what is true.
[[nodiscard]] std::string wav_bytes(const std::vector<std::int16_t>& samples);

// Samples 1, 2, 3… as a recording to recognise.
[[nodiscard]] std::vector<std::int16_t> ramp(int num_samples);

}  // namespace diarize::test
