#include "tests/core/clustering/voices.h"

#include "core/clustering/vector_list.h"

#include <cmath>
#include <random>
#include <span>

namespace diarize::test {
namespace {

void add_noise(std::span<double> vector, double scale, std::mt19937& random) {
  std::normal_distribution<double> normal(
      0.0, scale / std::sqrt(static_cast<double>(vector.size())));
  for (double& value : vector) value += normal(random);
}

}  // namespace

Voices make_voices(const VoiceOptions& options) {
  std::mt19937 random(options.seed);
  // A part all share, a part of the voice, and noise of the vector.
  std::vector<double> common(options.dimension, 0.0);
  add_noise(common, std::sqrt(options.other), random);
  Array<double, 2> means({options.num_voices, options.dimension}, 0.0);
  for (std::size_t voice = 0; voice < options.num_voices; ++voice) {
    add_noise(means.row(voice), std::sqrt(options.same - options.other),
              random);
  }
  Voices voices;
  voices.vectors =
      Array<double, 2>({options.num_vectors, options.dimension}, 0.0);
  std::uniform_int_distribution<std::size_t> any_voice(0,
                                                       options.num_voices - 1);
  for (std::size_t i = 0; i < options.num_vectors; ++i) {
    const std::size_t voice = any_voice(random);
    const std::span<double> vector = voices.vectors.row(i);
    for (std::size_t k = 0; k < options.dimension; ++k) {
      vector[k] = common[k] + means(voice, k);
    }
    add_noise(vector, std::sqrt(1.0 - options.same), random);
    normalize(vector);
    voices.labels.push_back(static_cast<std::int32_t>(voice));
  }
  return voices;
}

}  // namespace diarize::test
