#include "tests/core/clustering/plain_linkage.h"

#include "core/dot_products.h"

#include <limits>
#include <numeric>

namespace diarize::test {

std::vector<std::int32_t> plain_linkage(const VectorList& vectors,
                                        double max_distance) {
  const std::size_t num = vectors.size();
  Array<double, 2> distance({num, num});
  for (std::size_t i = 0; i < num; ++i) {
    for (std::size_t j = 0; j < num; ++j) {
      distance(i, j) = 1.0 - dot(vectors[i], vectors[j]);
    }
  }
  std::vector<double> size(num, 1.0);
  std::vector<std::size_t> slot(num);
  std::iota(slot.begin(), slot.end(), 0);
  while (true) {
    double best = std::numeric_limits<double>::infinity();
    std::size_t a = 0;
    std::size_t b = 0;
    for (std::size_t i = 0; i < num; ++i) {
      for (std::size_t j = i + 1; j < num; ++j) {
        if (size[i] == 0.0 || size[j] == 0.0 || distance(i, j) >= best) {
          continue;
        }
        best = distance(i, j);
        a = i;
        b = j;
      }
    }
    if (!(best <= max_distance)) break;
    for (std::size_t k = 0; k < num; ++k) {
      distance(a, k) = (size[a] * distance(a, k) + size[b] * distance(b, k)) /
                       (size[a] + size[b]);
      distance(k, a) = distance(a, k);
    }
    size[a] += size[b];
    size[b] = 0.0;
    for (std::size_t& s : slot) {
      if (s == b) s = a;
    }
  }
  std::vector<std::int32_t> name(num, -1);
  std::vector<std::int32_t> labels;
  std::int32_t num_labels = 0;
  for (const std::size_t s : slot) {
    if (name[s] < 0) name[s] = num_labels++;
    labels.push_back(name[s]);
  }
  return labels;
}

}  // namespace diarize::test
