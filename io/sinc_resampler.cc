#include "io/sinc_resampler.h"

#include <algorithm>

namespace diarize {

SincResampler::SincResampler(int sample_rate)
    : sample_rate_(sample_rate),
      filter_(SincDesign(sample_rate)),
      buffer_(static_cast<std::size_t>(filter_.width)) {}

// With n samples in the buffer, an output of phase j, r hops on, is ready when
// r hop + first_taps[j] + row_size <= n. Phases of one hop become ready in
// their order, since first_taps ascend.
std::int64_t SincResampler::num_ready() const {
  const std::int64_t room = std::ssize(buffer_) - filter_.row_size;
  const std::int64_t last = filter_.first_taps.back();
  if (room < filter_.first_taps.front()) return 0;
  const std::int64_t whole = room < last ? 0 : (room - last) / filter_.hop + 1;
  const auto begin = filter_.first_taps.begin();
  const auto end = std::upper_bound(begin, filter_.first_taps.end(),
                                    room - whole * filter_.hop);
  return std::max<std::int64_t>(
      whole * filter_.num_phases + (end - begin) - phase_, 0);
}

std::vector<float> SincResampler::produce(std::int64_t count) {
  std::vector<float> output(static_cast<std::size_t>(count));
  if (count == 0) return output;
  convolve(filter_, buffer_, phase_, output);
  const std::int64_t steps = phase_ + count;
  phase_ = static_cast<int>(steps % filter_.num_phases);
  const std::int64_t used = steps / filter_.num_phases * filter_.hop;
  buffer_.erase(buffer_.begin(), buffer_.begin() + used);
  num_output_ += count;
  return output;
}

std::vector<float> SincResampler::push(std::span<const float> samples) {
  buffer_.insert(buffer_.end(), samples.begin(), samples.end());
  num_input_ += std::ssize(samples);
  const std::int64_t length = resampled_length(num_input_, sample_rate_);
  return produce(std::min(num_ready(), length - num_output_));
}

std::vector<float> SincResampler::finish() {
  const std::int64_t left =
      resampled_length(num_input_, sample_rate_) - num_output_;
  const std::int64_t hops = (phase_ + left) / filter_.num_phases;
  const std::int64_t needed =
      hops * filter_.hop + filter_.first_taps.back() + filter_.row_size;
  buffer_.resize(static_cast<std::size_t>(
      std::max<std::int64_t>(needed, std::ssize(buffer_))));
  return produce(left);
}

}  // namespace diarize
