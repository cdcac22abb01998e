#pragma once

#include "core/array.h"

#include <cstdint>
#include <vector>

namespace diarize::test {

// Unit vectors of several voices, as embeddings of short pieces lie: those of
// one voice have a cosine of about `same`, those of two voices of about
// `other`.
struct Voices {
  Array<double, 2> vectors;          // (num_vectors, dimension)
  std::vector<std::int32_t> labels;  // (num_vectors) the voice
};

struct VoiceOptions {
  std::size_t num_vectors = 100;
  std::size_t num_voices = 4;
  std::size_t dimension = 192;
  double same = 0.6;
  double other = 0.1;
  unsigned seed = 1;
};

[[nodiscard]] Voices make_voices(const VoiceOptions& options);

}  // namespace diarize::test
