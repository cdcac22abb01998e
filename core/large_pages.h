#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace diarize {

// Asks the system to put memory that was not yet written on large pages if it
// is worth some. Done or not, all works the same; what a long recording goes
// through thousands of times is read faster.
inline void ask_for_large_pages(void* data, std::size_t size) {
#if defined(__linux__)
  constexpr std::size_t kLeastSize = std::size_t{4} << 20;
  if (size < kLeastSize) return;
  // The address has to be that of a page.
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  if (std::align(page, page, data, size) == nullptr) return;
  static_cast<void>(madvise(data, size, MADV_HUGEPAGE));
#else
  static_cast<void>(data);
  static_cast<void>(size);
#endif
}

// `size` zeros, on large pages where the system has some.
template <typename Number>
[[nodiscard]] std::vector<Number> zeros_on_large_pages(std::size_t size) {
  std::vector<Number> zeros;
  zeros.reserve(size);
  ask_for_large_pages(zeros.data(), size * sizeof(Number));
  zeros.resize(size);
  return zeros;
}

}  // namespace diarize
