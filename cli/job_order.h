#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace diarize {

// Which job of a batch to start next: the next of the inputs, so that results
// can be told in their order soon; but the longest of those left once the
// others could no longer fill the time that it takes, so that it is not left to
// run alone at the end. (Longest processing time first, Graham 1969, only as
// late as does no harm.) One thread at a time.
//
// Cost of a job: constant on average.
class JobOrder {
 public:
  // num_parallel: jobs that run at once.
  JobOrder(std::size_t num_jobs, int num_parallel)
      : is_taken_(num_jobs, false), num_parallel_(num_parallel) {}

  // Tells how long the jobs are, in any unit; before that their order alone
  // counts. seconds: (num_jobs), not negative.
  void set_lengths(std::span<const double> seconds);
  [[nodiscard]] bool has_lengths() const { return !seconds_.empty(); }

  // The next job, from now on taken; none if all are.
  [[nodiscard]] std::optional<std::size_t> take();

  // The first in the order of the inputs that is not taken, and taken now.
  [[nodiscard]] std::optional<std::size_t> take_first();

  [[nodiscard]] std::size_t num_left() const {
    return is_taken_.size() - num_taken_;
  }
  [[nodiscard]] bool is_taken(std::size_t job) const { return is_taken_[job]; }

 private:
  std::size_t take_job(std::size_t job);

  std::vector<bool> is_taken_;
  int num_parallel_;
  std::size_t num_taken_ = 0;
  std::size_t first_ = 0;  // all before it are taken
  std::vector<double> seconds_;
  std::vector<std::size_t> by_length_;  // longest first
  std::size_t longest_ = 0;             // all before it in by_length_ are taken
  double seconds_left_ = 0.0;
};

}  // namespace diarize
