#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

namespace diarize {

// Host memory that this process may still use, in bytes: what the machine has
// available, cut by what is left of the limits of its control groups.
[[nodiscard]] std::size_t free_memory_bytes();

// What /proc/meminfo calls available; none if `meminfo` does not say.
[[nodiscard]] std::optional<std::size_t> available_bytes(
    const std::filesystem::path& meminfo);

// What is left of the limit of a control group below `root` (/sys/fs/cgroup);
// none if it has no limit. Reads `memory.max`, `memory.current` and, for the
// pages of files that give way, `memory.stat` of version 2, else
// `memory.limit_in_bytes` and `memory.usage_in_bytes` of version 1 (also in
// `root/memory`).
[[nodiscard]] std::optional<std::size_t> cgroup_free_bytes(
    const std::filesystem::path& root);

}  // namespace diarize
