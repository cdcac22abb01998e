#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace diarize {

// A binary heap of the keys 0..n-1 by a value each, the least on top.
//
// Entries move exactly as in scipy's Heap (scipy/cluster/_structures.pxi), so
// that of equal values the same key is on top. Children of entry i are 2i + 1
// and 2i + 2; of equal children the left one moves up; an entry never passes
// its equal. All operations but the top cost O(log n).
class MinHeap {
 public:
  explicit MinHeap(std::vector<double> values)
      : values_(std::move(values)),
        key_(values_.size()),
        index_(values_.size()),
        size_(values_.size()) {
    for (std::size_t i = 0; i < size_; ++i) {
      key_[i] = index_[i] = static_cast<std::int32_t>(i);
    }
    for (std::size_t i = size_ / 2; i-- > 0;) sift_down(i);
  }

  // Key with the least value. The heap must not be empty.
  [[nodiscard]] std::int32_t top() const { return key_[0]; }

  // Value of a key that is still in the heap.
  [[nodiscard]] double value(std::int32_t key) const {
    return values_[index_[key]];
  }

  void remove_top() {
    swap_entries(0, --size_);
    sift_down(0);
  }

  void change(std::int32_t key, double value) {
    const std::size_t index = index_[key];
    const double old = std::exchange(values_[index], value);
    if (value < old) {
      sift_up(index);
    } else {
      sift_down(index);
    }
  }

 private:
  void sift_up(std::size_t index) {
    while (index > 0) {
      const std::size_t parent = (index - 1) / 2;
      if (!(values_[parent] > values_[index])) return;
      swap_entries(index, parent);
      index = parent;
    }
  }

  void sift_down(std::size_t index) {
    for (std::size_t child = 2 * index + 1; child < size_;
         child = 2 * index + 1) {
      if (child + 1 < size_ && values_[child + 1] < values_[child]) ++child;
      if (!(values_[index] > values_[child])) return;
      swap_entries(index, child);
      index = child;
    }
  }

  void swap_entries(std::size_t i, std::size_t j) {
    std::swap(values_[i], values_[j]);
    std::swap(key_[i], key_[j]);
    index_[key_[i]] = static_cast<std::int32_t>(i);
    index_[key_[j]] = static_cast<std::int32_t>(j);
  }

  std::vector<double> values_;       // by entry
  std::vector<std::int32_t> key_;    // by entry
  std::vector<std::int32_t> index_;  // entry by key
  std::size_t size_;
};

}  // namespace diarize
