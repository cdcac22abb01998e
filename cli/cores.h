#pragma once

#include <filesystem>
#include <string>

namespace diarize {

// How many cores this process may use, at least 1: those of its affinity
// mask, cut by the quota of its control group (rounded up).
[[nodiscard]] int available_cores();

// Path of this process's control group of version 2 below /sys/fs/cgroup, "/"
// if it is not known.
[[nodiscard]] std::string own_cgroup();

// The quota in cores of a control group below `root` (/sys/fs/cgroup), 0 if
// there is none. Reads `cpu.max` of version 2, else `cpu.cfs_quota_us` and
// `cpu.cfs_period_us` of version 1 (also in `root/cpu`).
[[nodiscard]] double cgroup_quota_cores(const std::filesystem::path& root);

}  // namespace diarize
