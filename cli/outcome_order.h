#pragma once

#include "cli/batch.h"

#include <condition_variable>
#include <cstddef>
#include <map>
#include <mutex>
#include <span>

namespace diarize {

// Tells the outcomes of jobs in the order of the jobs, in whatever order they
// come: each as soon as it and all before it are there. Threads may share it.
class OutcomeOrder {
 public:
  // Outcomes that wait for an earlier one may hold about so many bytes.
  static constexpr std::size_t kMostBytes = std::size_t{16} << 20;

  OutcomeOrder(std::span<const Job> jobs, const ReportFile& report,
               std::size_t most_bytes = kMostBytes)
      : jobs_(jobs), report_(report), most_bytes_(most_bytes) {}

  // Takes the outcome of a job, and tells what is due.
  void add(std::size_t job, FileOutcome outcome);

  // Tells those that still wait: nothing will come for the jobs before them.
  void end();

  // The job that has to end next for anything to be told.
  [[nodiscard]] std::size_t due() const;

  // Whether those that wait hold as much as they may.
  [[nodiscard]] bool is_full() const;

  // Waits until a job has been told.
  void wait_for(std::size_t job);

 private:
  void tell(std::size_t job, const FileOutcome& outcome);

  std::span<const Job> jobs_;
  const ReportFile& report_;
  const std::size_t most_bytes_;
  mutable std::mutex mutex_;
  std::condition_variable told_;
  std::map<std::size_t, FileOutcome> waiting_;
  std::size_t num_bytes_ = 0;
  std::size_t due_ = 0;
};

}  // namespace diarize
