#include "cli/job_order.h"

#include <algorithm>
#include <numeric>

namespace diarize {

void JobOrder::set_lengths(std::span<const double> seconds) {
  seconds_.assign(seconds.begin(), seconds.end());
  by_length_.resize(seconds_.size());
  std::iota(by_length_.begin(), by_length_.end(), std::size_t{0});
  std::ranges::stable_sort(by_length_, [&](std::size_t a, std::size_t b) {
    return seconds_[a] > seconds_[b];
  });
  longest_ = 0;
  seconds_left_ = 0.0;
  for (std::size_t job = 0; job < seconds_.size(); ++job) {
    if (!is_taken_[job]) seconds_left_ += seconds_[job];
  }
}

std::optional<std::size_t> JobOrder::take() {
  if (num_left() == 0) return std::nullopt;
  if (!has_lengths()) return take_first();
  while (is_taken_[by_length_[longest_]]) ++longest_;
  const std::size_t longest = by_length_[longest_];
  const double of_others = seconds_left_ - seconds_[longest];
  if (of_others > seconds_[longest] * num_parallel_) return take_first();
  return take_job(longest);
}

std::optional<std::size_t> JobOrder::take_first() {
  if (num_left() == 0) return std::nullopt;
  while (is_taken_[first_]) ++first_;
  return take_job(first_);
}

std::size_t JobOrder::take_job(std::size_t job) {
  is_taken_[job] = true;
  ++num_taken_;
  if (has_lengths()) seconds_left_ -= seconds_[job];
  return job;
}

}  // namespace diarize
