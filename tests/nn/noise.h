#pragma once

#include <cstddef>
#include <vector>

namespace diarize::test {

// Normally distributed values, the same for the same seed.
[[nodiscard]] std::vector<float> noise(std::size_t length, unsigned seed,
                                       float deviation = 0.3F,
                                       float mean = 0.0F);

}  // namespace diarize::test
