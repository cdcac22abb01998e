#pragma once

#include <array>
#include <cstddef>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

namespace diarize {

// A row-major array of N dimensions in host memory that owns its values.
//
// Moves are cheap; pass `const&` or the span of values(). Not for sharing
// between threads while one of them writes.
template <typename T, std::size_t N>
class Array {
 public:
  using Shape = std::array<std::size_t, N>;

  Array() = default;

  // All values are `value`.
  explicit Array(const Shape& shape, T value = T{})
      : shape_(shape), values_(num_values(shape), value) {}

  // Takes over `values`. Throws std::logic_error if their number does not fit.
  Array(const Shape& shape, std::vector<T> values)
      : shape_(shape), values_(std::move(values)) {
    if (values_.size() != num_values(shape)) {
      throw std::logic_error("Array: the values do not fill the shape");
    }
  }

  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] std::size_t size(std::size_t dimension) const {
    return shape_[dimension];
  }
  [[nodiscard]] bool empty() const { return values_.empty(); }

  [[nodiscard]] std::span<T> values() { return values_; }
  [[nodiscard]] std::span<const T> values() const { return values_; }
  [[nodiscard]] T* data() { return values_.data(); }
  [[nodiscard]] const T* data() const { return values_.data(); }

  // One value by its N indices, which are not checked.
  template <typename... Indices>
  [[nodiscard]] T& operator()(Indices... indices) {
    return values_[offset(indices...)];
  }
  template <typename... Indices>
  [[nodiscard]] const T& operator()(Indices... indices) const {
    return values_[offset(indices...)];
  }

  // The values below one index of the first dimension.
  [[nodiscard]] std::span<T> row(std::size_t index) {
    return std::span<T>(values_).subspan(index * row_size(), row_size());
  }
  [[nodiscard]] std::span<const T> row(std::size_t index) const {
    return std::span<const T>(values_).subspan(index * row_size(), row_size());
  }

  friend bool operator==(const Array&, const Array&) = default;

 private:
  static std::size_t num_values(const Shape& shape) {
    return std::accumulate(shape.begin(), shape.end(), std::size_t{1},
                           [](std::size_t a, std::size_t b) { return a * b; });
  }

  [[nodiscard]] std::size_t row_size() const {
    return shape_[0] == 0 ? 0 : values_.size() / shape_[0];
  }

  template <typename... Indices>
  [[nodiscard]] std::size_t offset(Indices... indices) const {
    static_assert(sizeof...(Indices) == N);
    std::size_t result = 0;
    std::size_t dimension = 0;
    ((result =
          result * shape_[dimension++] + static_cast<std::size_t>(indices)),
     ...);
    return result;
  }

  Shape shape_{};
  std::vector<T> values_;
};

}  // namespace diarize
