#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace diarize {

// The sum of weighted vectors in units of 2^-40: adding and taking away are
// exact and may come in any order. A term is off by at most 2^-41 an element.
//
// A weighted element is below 2^11 in size and a sum below 2^22.
class ExactSum {
 public:
  explicit ExactSum(std::size_t dimension) : sum_(dimension, 0) {}

  void add(std::span<const double> vector, double weight);
  void subtract(std::span<const double> vector, double weight);

  // The sum scaled to length one.
  [[nodiscard]] std::vector<double> direction() const;

 private:
  std::vector<std::int64_t> sum_;
};

}  // namespace diarize
