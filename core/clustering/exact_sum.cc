#include "core/clustering/exact_sum.h"

#include "core/clustering/vector_list.h"

#include <bit>

namespace diarize {
namespace {

constexpr double kUnits = 1099511627776.0;  // 2^40

// Rounds a value below 2^11 to units, half to even. The sum with 1.5 * 2^52 has
// no bits below one, and those of the integer at its end: unlike std::llrint
// this is done for several values at once. The product with a power of two is
// exact, so that it may be one operation with the sum.
std::int64_t units(double value) {
  constexpr double kShift = 6755399441055744.0;  // 1.5 * 2^52
  return std::bit_cast<std::int64_t>(value * kUnits + kShift) -
         std::bit_cast<std::int64_t>(kShift);
}

}  // namespace

void ExactSum::add(std::span<const double> vector, double weight) {
  for (std::size_t i = 0; i < vector.size(); ++i) {
    sum_[i] += units(weight * vector[i]);
  }
}

void ExactSum::subtract(std::span<const double> vector, double weight) {
  for (std::size_t i = 0; i < vector.size(); ++i) {
    sum_[i] -= units(weight * vector[i]);
  }
}

std::vector<double> ExactSum::direction() const {
  std::vector<double> direction;
  direction.reserve(sum_.size());
  for (const std::int64_t value : sum_) {
    direction.push_back(static_cast<double>(value) / kUnits);
  }
  normalize(direction);
  return direction;
}

}  // namespace diarize
