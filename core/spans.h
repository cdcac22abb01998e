#pragma once

#include <span>
#include <vector>

namespace diarize {

// A stretch of time, in seconds.
struct Span {
  double start = 0.0;
  double end = 0.0;

  // A microsecond or less is nothing (pyannote.core 6.0, SEGMENT_PRECISION);
  // all below goes by that, so that rounding leaves no slivers.
  [[nodiscard]] bool empty() const { return !(end - start > 1e-6); }
  [[nodiscard]] double duration() const { return empty() ? 0.0 : end - start; }

  friend auto operator<=>(const Span&, const Span&) = default;
};

using Spans = std::vector<Span>;

// What two spans have in common; empty() where that is nothing.
[[nodiscard]] Span intersection(const Span& a, const Span& b);

// The fewest spans that cover the same time, ascending; those that touch
// become one. Cost: n log n.
[[nodiscard]] Spans support(Spans spans);

// The parts of `spans` that `holes` leave; both are supports, so is the result.
// Linear.
[[nodiscard]] Spans difference(std::span<const Span> spans,
                               std::span<const Span> holes);

// The parts of `span` inside `parts`, which is a support. Cost: log of the
// size of `parts` and the number of pieces that result.
[[nodiscard]] Spans crop(const Span& span, std::span<const Span> parts);

// Seconds covered; `spans` is a support.
[[nodiscard]] double total_duration(std::span<const Span> spans);

}  // namespace diarize
