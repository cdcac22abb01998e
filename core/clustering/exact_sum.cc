#include "core/clustering/exact_sum.h"

#include "core/clustering/vector_list.h"

#include <cmath>

namespace diarize {
namespace {

constexpr double kUnits = 1099511627776.0;  // 2^40

std::int64_t units(double value) { return std::llrint(value * kUnits); }

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
