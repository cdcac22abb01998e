#include "tests/nn/noise.h"

#include <random>

namespace diarize::test {

std::vector<float> noise(std::size_t length, unsigned seed, float deviation,
                         float mean) {
  std::mt19937 random(seed);
  std::normal_distribution<float> value(mean, deviation);
  std::vector<float> result(length);
  for (float& v : result) v = value(random);
  return result;
}

}  // namespace diarize::test
