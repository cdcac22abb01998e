#include "cli/outcome_order.h"

#include <string>
#include <utility>

namespace diarize {
namespace {

// What an outcome takes up, nearly.
std::size_t size_of(const FileOutcome& outcome) {
  std::size_t size = sizeof(outcome) + outcome.standard_output.size();
  if (outcome.failure) size += outcome.failure->size();
  for (const auto* texts : {&outcome.warnings, &outcome.details}) {
    for (const std::string& text : *texts)
      size += sizeof(std::string) + text.size();
  }
  return size;
}

}  // namespace

void OutcomeOrder::add(std::size_t job, FileOutcome outcome) {
  {
    const std::lock_guard lock(mutex_);
    num_bytes_ += size_of(outcome);
    waiting_.emplace(job, std::move(outcome));
    while (!waiting_.empty() && waiting_.begin()->first == due_) {
      const auto first = waiting_.extract(waiting_.begin());
      tell(first.key(), first.mapped());
      ++due_;
    }
  }
  told_.notify_all();
}

void OutcomeOrder::end() {
  const std::lock_guard lock(mutex_);
  for (const auto& [job, outcome] : std::exchange(waiting_, {})) {
    tell(job, outcome);
  }
}

std::size_t OutcomeOrder::due() const {
  const std::lock_guard lock(mutex_);
  return due_;
}

bool OutcomeOrder::is_full() const {
  const std::lock_guard lock(mutex_);
  return num_bytes_ > most_bytes_;
}

void OutcomeOrder::wait_for(std::size_t job) {
  std::unique_lock lock(mutex_);
  told_.wait(lock, [&] { return due_ > job; });
}

void OutcomeOrder::tell(std::size_t job, const FileOutcome& outcome) {
  num_bytes_ -= size_of(outcome);
  report_(jobs_[job], outcome);
}

}  // namespace diarize
