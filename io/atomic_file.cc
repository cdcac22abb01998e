#include "io/atomic_file.h"

#include "core/error.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <random>
#include <string>
#include <system_error>
#include <utility>

namespace diarize {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = ".diarize-";
constexpr std::string_view kSuffix = ".tmp";

[[noreturn]] void fail(const fs::path& path, int error) {
  throw InputError(
      fmt::format("{} cannot be written: {}", path.string(),
                  std::error_code(error, std::generic_category()).message()));
}

// An open file.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(Descriptor&& other) noexcept
      : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] bool is_open() const { return number_ >= 0; }

 private:
  int number_;
};

// Takes the lock that says the file is in use. An error number, 0 if taken.
int lock(const Descriptor& file) {
  return ::flock(file.number(), LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
}

bool is_linked(const Descriptor& file) {
  struct stat status{};
  return ::fstat(file.number(), &status) == 0 && status.st_nlink > 0;
}

fs::path temporary_name(const fs::path& folder) {
  std::random_device random;
  return folder /
         fmt::format("{}{:08x}{:08x}{}", kPrefix, random(), random(), kSuffix);
}

// The hidden file; removed unless it was renamed.
class Temporary {
 public:
  explicit Temporary(const fs::path& target)
      : target_(target),
        path_(temporary_name(target.parent_path())),
        file_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                     0666)) {
    if (!file_.is_open()) fail(target, errno);
    // A file system without locks is one where nothing is swept either.
    is_ours_ = lock(file_) != EWOULDBLOCK && is_linked(file_);
  }
  ~Temporary() {
    if (!renamed_) ::unlink(path_.c_str());
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  // Whether no sweep came between the making of the file and its lock.
  [[nodiscard]] bool is_ours() const { return is_ours_; }

  void write(std::string_view content) {
    while (!content.empty()) {
      const ssize_t written =
          ::write(file_.number(), content.data(), content.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail(target_, errno);
      content.remove_prefix(static_cast<std::size_t>(written));
    }
    if (::fsync(file_.number()) != 0) fail(target_, errno);
  }

  void rename_to_target() {
    if (::rename(path_.c_str(), target_.c_str()) != 0) fail(target_, errno);
    renamed_ = true;
  }

 private:
  fs::path target_;
  fs::path path_;
  Descriptor file_;
  bool is_ours_ = false;
  bool renamed_ = false;
};

// So that the new name survives a loss of power. Not every file system can.
void flush_folder(const fs::path& folder) {
  const fs::path name = folder.empty() ? fs::path(".") : folder;
  const Descriptor file(
      ::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (file.is_open()) ::fsync(file.number());
}

bool is_temporary(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with(kPrefix) && name.ends_with(kSuffix);
}

}  // namespace

void write_whole_file(const fs::path& path, std::string_view content) {
  while (true) {
    Temporary temporary(path);
    if (!temporary.is_ours()) continue;
    temporary.write(content);
    temporary.rename_to_target();
    break;
  }
  flush_folder(path.parent_path());
}

void sweep_left_overs(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    if (!is_temporary(at->path())) continue;
    const Descriptor file(
        ::open(at->path().c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    if (file.is_open() && lock(file) == 0) ::unlink(at->path().c_str());
  }
}

}  // namespace diarize
