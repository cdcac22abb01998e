#include "tests/io/make_audio.h"

#include <doctest/doctest.h>
#include <sndfile.h>

#include <cmath>
#include <numbers>
#include <numeric>

namespace diarize::test {

namespace {

std::string little_endian(std::uint32_t value, int width) {
  std::string bytes;
  for (int place = 0; place < width; ++place) {
    bytes += static_cast<char>(value >> (8 * place) & 0xFFU);
  }
  return bytes;
}

}  // namespace

std::vector<float> tones(std::int64_t num_frames, int num_channels,
                         int sample_rate) {
  std::vector<float> samples;
  for (std::int64_t frame = 0; frame < num_frames; ++frame) {
    for (int channel = 0; channel < num_channels; ++channel) {
      const double hz = 220.0 * (channel + 1);
      const double turns = hz * static_cast<double>(frame) / sample_rate;
      const double wave = std::sin(2.0 * std::numbers::pi * turns);
      samples.push_back(static_cast<float>(0.4 * wave / (channel + 1)));
    }
  }
  return samples;
}

void write_audio(const std::filesystem::path& path,
                 const std::vector<float>& interleaved, int num_channels,
                 int sample_rate, int format) {
  SF_INFO info{};
  info.samplerate = sample_rate;
  info.channels = num_channels;
  info.format = format;
  SNDFILE* file = sf_open(path.c_str(), SFM_WRITE, &info);
  REQUIRE_MESSAGE(file != nullptr, sf_strerror(nullptr));
  const auto count = static_cast<sf_count_t>(interleaved.size());
  REQUIRE(sf_write_float(file, interleaved.data(), count) == count);
  sf_close(file);
}

std::string wav_bytes(const std::vector<std::int16_t>& samples,
                      std::uint32_t riff_size, std::uint32_t data_size) {
  constexpr std::uint32_t kRate = 16000;
  std::string bytes =
      "RIFF" + little_endian(riff_size, 4) + "WAVEfmt " + little_endian(16, 4) +
      little_endian(1, 2) + little_endian(1, 2) + little_endian(kRate, 4) +
      little_endian(2 * kRate, 4) + little_endian(2, 2) + little_endian(16, 2) +
      "data" + little_endian(data_size, 4);
  for (const std::int16_t sample : samples) {
    bytes += little_endian(static_cast<std::uint16_t>(sample), 2);
  }
  return bytes;
}

std::string wav_bytes(const std::vector<std::int16_t>& samples) {
  const auto size = static_cast<std::uint32_t>(2 * samples.size());
  return wav_bytes(samples, size + 36, size);
}

std::vector<std::int16_t> ramp(int num_samples) {
  std::vector<std::int16_t> samples(static_cast<std::size_t>(num_samples));
  std::iota(samples.begin(), samples.end(), std::int16_t{1});
  return samples;
}

}  // namespace diarize::test
