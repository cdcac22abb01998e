#pragma once

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

namespace diarize {

// Items that some threads put and others take in batches, first in first out.
// Thread safe. Bounds nothing: who puts holds a share of a budget.
template <typename Item>
class WorkQueue {
 public:
  // Appends an item of a given weight. False, and nothing done, once closed.
  bool put(Item item, int weight) {
    {
      const std::lock_guard lock(mutex_);
      if (closed_) return false;
      weight_ += weight;
      items_.emplace_back(std::move(item), weight);
    }
    ready_.notify_one();
    return true;
  }

  // Waits for work and takes a batch: at least one item, then as many more as
  // keep the batch within `most` and leave the other takers (`num_takers` in
  // all) their share of what is waiting. Empty once closed.
  [[nodiscard]] std::vector<Item> take(int most, int num_takers) {
    std::unique_lock lock(mutex_);
    ready_.wait(lock, [&] { return closed_ || !items_.empty(); });
    std::vector<Item> batch;
    if (closed_) return batch;
    const int share = std::min(most, (weight_ + num_takers - 1) / num_takers);
    int taken = 0;
    while (!items_.empty() &&
           (batch.empty() || taken + items_.front().second <= share)) {
      taken += items_.front().second;
      batch.push_back(std::move(items_.front().first));
      items_.pop_front();
    }
    weight_ -= taken;
    return batch;
  }

  // Lets go all that wait; items not taken are dropped.
  void close() {
    std::deque<std::pair<Item, int>> dropped;
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
      dropped.swap(items_);
    }
    ready_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<std::pair<Item, int>> items_;
  int weight_ = 0;
  bool closed_ = false;
};

}  // namespace diarize
