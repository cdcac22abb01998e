#include "core/count_bounds.h"

#include <algorithm>
#include <stdexcept>

namespace diarize {

CountBounds bounds_of(const SpeakerRequest& request) {
  CountBounds bounds;
  bounds.min = request.num.value_or(request.min.value_or(bounds.min));
  bounds.max = request.num.value_or(request.max.value_or(bounds.max));
  if (bounds.min < 1 || bounds.min > bounds.max) {
    throw std::logic_error("bounds_of: no number of speakers is in the bounds");
  }
  bounds.num = request.num;
  if (bounds.min == bounds.max) bounds.num = bounds.min;
  return bounds;
}

CountBounds limited(const CountBounds& bounds, int most) {
  CountBounds result = bounds;
  result.min = std::max(1, std::min(bounds.min, most));
  result.max = std::max(1, std::min(bounds.max, most));
  if (result.min == result.max) result.num = result.min;
  return result;
}

}  // namespace diarize
