#include "io/samplerate_resampler.h"

#include "core/sliding_window.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace diarize {

namespace {

constexpr std::size_t kPortionSamples = 4096;

}  // namespace

SamplerateResampler::SamplerateResampler(int sample_rate)
    : sample_rate_(sample_rate) {
  int error = 0;
  state_.reset(src_new(SRC_SINC_MEDIUM_QUALITY, 1, &error));
  const double ratio = static_cast<double>(kSampleRate) / sample_rate;
  if (!state_ || src_is_valid_ratio(ratio) == 0) {
    throw std::logic_error(
        fmt::format("libsamplerate does not convert {} Hz", sample_rate));
  }
}

void SamplerateResampler::convert(std::span<const float> samples, bool last,
                                  std::vector<float>& output) {
  std::array<float, kPortionSamples> target{};
  SRC_DATA data{};
  data.src_ratio = static_cast<double>(kSampleRate) / sample_rate_;
  data.end_of_input = last ? 1 : 0;
  data.data_out = target.data();
  data.output_frames = std::ssize(target);
  for (;;) {
    data.data_in = samples.data();
    data.input_frames = std::ssize(samples);
    if (const int error = src_process(state_.get(), &data); error != 0) {
      throw std::logic_error(src_strerror(error));
    }
    output.insert(output.end(), target.begin(),
                  target.begin() + data.output_frames_gen);
    samples = samples.subspan(static_cast<std::size_t>(data.input_frames_used));
    if (data.output_frames_gen == 0 && data.input_frames_used == 0) return;
  }
}

std::vector<float> SamplerateResampler::push(std::span<const float> samples) {
  waiting_.insert(waiting_.end(), samples.begin(), samples.end());
  num_input_ += std::ssize(samples);
  std::vector<float> output;
  std::span<const float> left = waiting_;
  while (left.size() >= kPortionSamples) {
    convert(left.first(kPortionSamples), false, output);
    left = left.subspan(kPortionSamples);
  }
  waiting_.erase(waiting_.begin(),
                 waiting_.end() - static_cast<std::ptrdiff_t>(left.size()));
  num_output_ += std::ssize(output);
  return output;
}

std::vector<float> SamplerateResampler::finish() {
  std::vector<float> output;
  convert(waiting_, true, output);
  // The library rounds the length its own way, one sample off at most.
  const std::int64_t left =
      resampled_length(num_input_, sample_rate_) - num_output_;
  output.resize(static_cast<std::size_t>(std::max<std::int64_t>(left, 0)));
  return output;
}

}  // namespace diarize
