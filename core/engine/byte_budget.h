#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <utility>

namespace diarize {

// A number of bytes that many threads share: who wants more than is left
// waits. A single holder may exceed the budget, so that a block larger than
// all of it still gets through. Thread safe.
class ByteBudget {
 public:
  explicit ByteBudget(std::size_t limit) : limit_(limit) {}

  // Takes `bytes`, waiting until they fit or nobody holds any.
  void acquire(std::size_t bytes) {
    std::unique_lock lock(mutex_);
    freed_.wait(lock, [&] { return used_ == 0 || used_ + bytes <= limit_; });
    used_ += bytes;
  }

  // Gives `bytes` back.
  void release(std::size_t bytes) {
    {
      const std::lock_guard lock(mutex_);
      used_ -= bytes;
    }
    freed_.notify_all();
  }

 private:
  const std::size_t limit_;
  std::mutex mutex_;
  std::condition_variable freed_;
  std::size_t used_ = 0;
};

// A part of a budget, given back when it is destroyed. Movable, one owner.
class ByteShare {
 public:
  ByteShare() = default;
  // Waits for `bytes` of `budget`, which must outlive the share.
  ByteShare(ByteBudget& budget, std::size_t bytes)
      : budget_(&budget), bytes_(bytes) {
    budget.acquire(bytes);
  }
  ByteShare(ByteShare&& other) noexcept
      : budget_(std::exchange(other.budget_, nullptr)), bytes_(other.bytes_) {}
  ByteShare& operator=(ByteShare&& other) noexcept {
    std::swap(budget_, other.budget_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~ByteShare() {
    if (budget_ != nullptr) budget_->release(bytes_);
  }

 private:
  ByteBudget* budget_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace diarize
