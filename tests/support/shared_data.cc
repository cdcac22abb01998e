#include "tests/support/shared_data.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

namespace diarize::test {
namespace {

std::optional<std::filesystem::path> existing(std::filesystem::path path) {
  if (std::filesystem::exists(path)) return path;
  MESSAGE("skipped: " << path.string() << " is absent");
  return std::nullopt;
}

}  // namespace

std::optional<std::filesystem::path> shared_data(
    std::string_view relative_path) {
  const char* root = std::getenv("DIARIZE_SHARED");
  const std::filesystem::path base =
      root != nullptr ? std::filesystem::path(root)
                      : std::filesystem::path(DIARIZE_SOURCE_DIR) / "../shared";
  return existing(base / relative_path);
}

std::optional<std::filesystem::path> checkout_data(
    std::string_view relative_path) {
  return existing(std::filesystem::path(DIARIZE_SOURCE_DIR) / relative_path);
}

}  // namespace diarize::test
