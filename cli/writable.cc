#include "cli/writable.h"

#include "core/error.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace diarize {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(std::string_view flag, const fs::path& path,
                         std::string_view what, std::errc reason) {
  throw FatalError(fmt::format("{}: {} cannot be {}: {}", flag, path.string(),
                               what, std::make_error_code(reason).message()));
}

// 0, or why a place does not allow what `mode` asks for.
int denial(const fs::path& path, int mode) {
  return ::access(path.c_str(), mode) == 0 ? 0 : errno;
}

// The nearest folder, or what stands in its place, that is there.
fs::path nearest_existing(fs::path path) {
  std::error_code ignored;
  while (!fs::exists(path, ignored) && path.has_relative_path()) {
    path = path.parent_path();
  }
  return path;
}

void require_room_in(std::string_view flag, const fs::path& path,
                     const fs::path& folder, std::string_view what) {
  std::error_code ignored;
  if (!fs::exists(folder, ignored)) {
    refuse(flag, path, what, std::errc::no_such_file_or_directory);
  }
  if (!fs::is_directory(folder, ignored)) {
    refuse(flag, path, what, std::errc::not_a_directory);
  }
  if (const int reason = denial(folder, W_OK | X_OK); reason != 0) {
    refuse(flag, path, what, static_cast<std::errc>(reason));
  }
}

// One that is there may still refuse a file, which is then that file's error.
void require_folder(std::string_view flag, const fs::path& folder) {
  std::error_code ignored;
  if (fs::is_directory(folder, ignored)) return;
  require_room_in(flag, folder, nearest_existing(fs::absolute(folder)), "made");
}

// Whether a folder is there once the output folder has been made.
bool is_made_with(const fs::path& output_dir, const fs::path& folder) {
  if (output_dir.empty()) return false;
  const fs::path rest = fs::absolute(output_dir)
                            .lexically_normal()
                            .lexically_relative(folder.lexically_normal());
  return !rest.empty() && *rest.begin() != "..";
}

void require_file(std::string_view flag, const fs::path& path,
                  const fs::path& output_dir) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    refuse(flag, path, "written", std::errc::is_a_directory);
  }
  if (fs::exists(path, ignored)) {
    if (const int reason = denial(path, W_OK); reason != 0) {
      refuse(flag, path, "written", static_cast<std::errc>(reason));
    }
    return;
  }
  const fs::path folder = fs::absolute(path).parent_path();
  if (fs::exists(folder, ignored) || !is_made_with(output_dir, folder)) {
    require_room_in(flag, path, folder, "written");
  }
}

}  // namespace

void require_writable_targets(const Options& options) {
  const fs::path output_dir = options.output.output_dir;
  if (!output_dir.empty()) require_folder("--output-dir", output_dir);
  const BatchOptions& batch = options.batch;
  if (!batch.manifest.empty()) {
    require_file("--manifest", batch.manifest, output_dir);
  }
  if (!batch.profile.empty() && batch.profile != "true") {
    require_file("--profile", batch.profile, output_dir);
  }
}

}  // namespace diarize
