#include "cli/free_memory.h"

#include "cli/cores.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace diarize {
namespace {

namespace fs = std::filesystem;

// Version 1 says "no limit" by a number beyond all memory.
constexpr double kNoLimit = 1e18;

// The number behind a name at the beginning of a line.
std::optional<double> number_named(const fs::path& path,
                                   const std::string& name) {
  std::ifstream file(path);
  std::string word;
  double value = 0.0;
  while (file >> word) {
    if (word == name && file >> value) return value;
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return std::nullopt;
}

// The number that is all there is in a file.
std::optional<double> number_in(const fs::path& path) {
  std::ifstream file(path);
  double value = 0.0;
  return file >> value ? std::optional(value) : std::nullopt;
}

std::optional<std::size_t> rest_of(std::optional<double> limit,
                                   std::optional<double> used) {
  if (!limit || !used || *limit >= kNoLimit) return std::nullopt;
  return static_cast<std::size_t>(std::max(*limit - *used, 0.0));
}

}  // namespace

std::optional<std::size_t> available_bytes(const fs::path& meminfo) {
  const auto kibibytes = number_named(meminfo, "MemAvailable:");
  if (!kibibytes) return std::nullopt;
  return static_cast<std::size_t>(*kibibytes * 1024);
}

std::optional<std::size_t> cgroup_free_bytes(const fs::path& root) {
  if (const auto used = number_in(root / "memory.current")) {
    const double given_way =
        number_named(root / "memory.stat", "inactive_file").value_or(0.0);
    return rest_of(number_in(root / "memory.max"), *used - given_way);
  }
  for (const fs::path& folder : {root, root / "memory"}) {
    const auto rest = rest_of(number_in(folder / "memory.limit_in_bytes"),
                              number_in(folder / "memory.usage_in_bytes"));
    if (rest) return rest;
  }
  return std::nullopt;
}

std::size_t free_memory_bytes() {
  // Where nothing can be found out, what any machine has.
  constexpr std::size_t kUnknown = std::size_t{1} << 30;
  std::size_t bytes = available_bytes("/proc/meminfo").value_or(kUnknown);
  const fs::path root = "/sys/fs/cgroup";
  for (const fs::path& folder :
       {root, fs::path(root.string() + own_cgroup())}) {
    bytes = std::min(bytes, cgroup_free_bytes(folder).value_or(bytes));
  }
  return bytes;
}

}  // namespace diarize
