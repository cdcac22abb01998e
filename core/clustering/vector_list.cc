#include "core/clustering/vector_list.h"

#include "core/dot_products.h"

#include <algorithm>
#include <cmath>

namespace diarize {

VectorList rows_of(const Array<double, 2>& values) {
  VectorList rows;
  rows.reserve(values.size(0));
  for (std::size_t row = 0; row < values.size(0); ++row) {
    rows.push_back(values.row(row));
  }
  return rows;
}

void normalize(std::span<double> vector) {
  constexpr double kShortest = 1e-12;
  const double length = std::max(std::sqrt(dot(vector, vector)), kShortest);
  for (double& value : vector) value /= length;
}

}  // namespace diarize
