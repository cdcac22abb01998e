#pragma once

#include "io/file_descriptor.h"

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace diarize {

// Which of our descriptors a child gets, and under which number.
struct HandedFile {
  int ours = -1;
  int theirs = -1;
};

// Another program that runs for us. It has /dev/null for what is not handed to
// it among its standard input, output and error, and no other descriptor of
// ours. Killed and waited for with its owner: it neither outlives it nor
// stays as a zombie.
class ChildProcess {
 public:
  ChildProcess() = default;  // none

  // files: in ascending order of `theirs`, none of which is among `ours`
  // unless it is its own. Throws FatalError if the program cannot be started.
  ChildProcess(const std::filesystem::path& program,
               const std::vector<std::string>& arguments,
               const std::vector<HandedFile>& files);
  ChildProcess(ChildProcess&& other) noexcept
      : pid_(std::exchange(other.pid_, -1)) {}
  ChildProcess& operator=(ChildProcess&& other) noexcept {
    std::swap(pid_, other.pid_);
    return *this;
  }
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess();

  [[nodiscard]] pid_t pid() const { return pid_; }

  // False once it has ended.
  [[nodiscard]] bool is_running() const;

  // Waits for its end and says how it ended: "was killed by signal 11
  // (Segmentation fault)", "ended with status 3"; an empty text for status 0,
  // and if it did not end within a second and was killed from here.
  [[nodiscard]] std::string end();

 private:
  pid_t pid_ = -1;
};

}  // namespace diarize
