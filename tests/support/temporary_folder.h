#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace diarize::test {

// A new empty folder that is removed with all in it at the end of the scope.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  // Writes a file below the folder, with the folders above it, and gives its
  // path.
  std::filesystem::path write(const std::filesystem::path& relative_path,
                              std::string_view bytes) const;

 private:
  std::filesystem::path path_;
};

// All bytes of a file.
[[nodiscard]] std::string read_bytes(const std::filesystem::path& path);

}  // namespace diarize::test
