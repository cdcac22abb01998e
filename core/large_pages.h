#pragma once

#include <cstddef>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#endif

namespace diarize {

// Asks the system to put memory that was not yet written on large pages. Done
// or not, all works the same; what a long recording goes through thousands of
// times is read up to a fifth faster.
inline void ask_for_large_pages(void* data, std::size_t size) {
#if defined(__linux__)
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(data);
  const std::uintptr_t first = (begin + page - 1) / page * page;
  if (first >= begin + size) return;
  static_cast<void>(madvise(reinterpret_cast<void*>(first),
                            begin + size - first, MADV_HUGEPAGE));
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
