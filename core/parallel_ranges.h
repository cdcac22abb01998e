#pragma once

#include <cstddef>

#if !defined(__SANITIZE_THREAD__)
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#endif

namespace diarize {

// Calls body(begin, end) on ranges that together are [0, size), some of them at
// the same time, and returns when all are done. Ranges are of `grain` or more
// where there are as many. Which thread does what is not defined, so calls must
// not depend on each other. On the threads that TBB has; in order and at once
// under ThreadSanitizer, which cannot see how the library of TBB synchronises
// and would call every hand-over a race.
template <typename Body>
void parallel_ranges(std::size_t size, std::size_t grain, const Body& body) {
  if (size == 0) return;
#if defined(__SANITIZE_THREAD__)
  static_cast<void>(grain);
  body(std::size_t{0}, size);
#else
  if (size <= grain) {
    body(std::size_t{0}, size);
    return;
  }
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, size, grain),
                    [&body](const tbb::blocked_range<std::size_t>& range) {
                      body(range.begin(), range.end());
                    });
#endif
}

}  // namespace diarize
