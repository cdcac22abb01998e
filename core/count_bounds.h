#pragma once

#include "core/types.h"

#include <limits>
#include <optional>

namespace diarize {

// How many speakers are asked for, once the three numbers of a request are
// brought together (pyannote.audio 4.0, set_num_speakers): without a number
// the least is 1 and the most has no bound; where both are equal they are the
// number.
struct CountBounds {
  int min = 1;
  int max = std::numeric_limits<int>::max();
  std::optional<int> num;
};

// Throws std::logic_error if the least exceeds the most or is below 1.
[[nodiscard]] CountBounds bounds_of(const SpeakerRequest& request);

// The same with no more than `most` speakers, as 3.1 does with the number of
// embeddings it clusters; at least one.
[[nodiscard]] CountBounds limited(const CountBounds& bounds, int most);

}  // namespace diarize
