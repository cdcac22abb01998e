#include "tests/e2e/processes.h"

#include <doctest/doctest.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <string>

namespace diarize::test {
namespace {

// The fourth column of /proc/PID/stat; the second is a name in brackets that
// may hold anything. 0 if the process is gone.
pid_t parent_of(const std::filesystem::path& process) {
  std::ifstream file(process / "stat");
  std::string line;
  std::getline(file, line);
  const std::size_t end_of_name = line.rfind(')');
  if (end_of_name == std::string::npos) return 0;
  pid_t parent = 0;
  const char* begin = line.data() + end_of_name + 4;  // ") S "
  std::from_chars(begin, line.data() + line.size(), parent);
  return parent;
}

// Whether a process has become another program than its parent.
bool has_own_program(const std::filesystem::path& process, pid_t parent) {
  std::error_code gone;
  const auto program = std::filesystem::read_symlink(process / "exe", gone);
  return !gone &&
         program != std::filesystem::read_symlink(
                        "/proc/" + std::to_string(parent) + "/exe", gone);
}

}  // namespace

std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> children;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    pid_t pid = 0;
    const auto [end, error] =
        std::from_chars(name.data(), name.data() + name.size(), pid);
    if (error == std::errc() && *end == '\0' &&
        parent_of(entry.path()) == parent &&
        has_own_program(entry.path(), parent)) {
      children.push_back(pid);
    }
  }
  return children;
}

void adopt_orphans() { REQUIRE(::prctl(PR_SET_CHILD_SUBREAPER, 1) == 0); }

int wait_for_orphans() {
  int num_orphans = 0;
  while (::waitpid(-1, nullptr, 0) > 0) ++num_orphans;
  return num_orphans;
}

}  // namespace diarize::test
