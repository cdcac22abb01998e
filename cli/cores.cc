#include "cli/cores.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <thread>

namespace diarize {
namespace {

// The first number in a file; 0 if there is none.
double number_in(const std::filesystem::path& path) {
  std::ifstream file(path);
  double value = 0;
  return file >> value ? value : 0.0;
}

int affinity_cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (sched_getaffinity(0, sizeof(cores), &cores) == 0) {
    return CPU_COUNT(&cores);
  }
  return static_cast<int>(std::thread::hardware_concurrency());
}

}  // namespace

double cgroup_quota_cores(const std::filesystem::path& root) {
  std::ifstream file(root / "cpu.max");
  std::string quota;
  double period = 0;
  if (file >> quota >> period) {
    if (quota == "max" || !(period > 0)) return 0;
    return std::strtod(quota.c_str(), nullptr) / period;
  }
  for (const auto& folder : {root, root / "cpu"}) {
    const double limit = number_in(folder / "cpu.cfs_quota_us");
    const double unit = number_in(folder / "cpu.cfs_period_us");
    if (limit > 0 && unit > 0) return limit / unit;
  }
  return 0;
}

std::string own_cgroup() {
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("0::")) return line.substr(3);
  }
  return "/";
}

int available_cores() {
  int cores = std::max(1, affinity_cores());
  const std::filesystem::path root = "/sys/fs/cgroup";
  const std::filesystem::path own = root.string() + own_cgroup();
  for (const auto& folder : {root, own}) {
    const double quota = cgroup_quota_cores(folder);
    if (quota > 0) {
      cores = std::min(cores, static_cast<int>(std::ceil(quota)));
    }
  }
  return std::max(1, cores);
}

}  // namespace diarize
