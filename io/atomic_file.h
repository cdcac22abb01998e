#pragma once

#include <filesystem>
#include <string_view>

namespace diarize {

// Writes `content` to `path`, whole or not at all.
//
// It is written to a hidden file in the same folder, flushed to the disk, and
// renamed over `path`, so that a reader, a full disk or a kill at any moment
// sees the old content or the new. The hidden file is locked while it is in
// use: one without a lock was left by a killed run, see sweep_left_overs().
// Permissions are those of a new file. Throws InputError, naming `path`.
void write_whole_file(const std::filesystem::path& path,
                      std::string_view content);

// Removes the hidden files that killed runs left in a folder; those of runs
// that still write stay. What cannot be read or removed is left alone.
void sweep_left_overs(const std::filesystem::path& folder);

}  // namespace diarize
