#include "io/child_process.h"

#include "core/error.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>
#include <thread>

namespace diarize {

namespace {

constexpr int kNumStandardFiles = 3;

// What is to be done to the descriptors between fork and exec.
class FileActions {
 public:
  FileActions() { posix_spawn_file_actions_init(&actions_); }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;

  void hand_over(const std::vector<HandedFile>& files) {
    int last = kNumStandardFiles - 1;
    for (const HandedFile& file : files) {
      posix_spawn_file_actions_adddup2(&actions_, file.ours, file.theirs);
      last = std::max(last, file.theirs);
    }
    for (int number = 0; number < kNumStandardFiles; ++number) {
      const bool handed =
          std::ranges::find(files, number, &HandedFile::theirs) != files.end();
      if (!handed) {
        posix_spawn_file_actions_addopen(&actions_, number, "/dev/null", O_RDWR,
                                         0);
      }
    }
    posix_spawn_file_actions_addclosefrom_np(&actions_, last + 1);
  }

  [[nodiscard]] const posix_spawn_file_actions_t* get() const {
    return &actions_;
  }

 private:
  posix_spawn_file_actions_t actions_{};
};

std::optional<int> wait_for(pid_t pid, std::chrono::milliseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  for (;;) {
    int status = 0;
    const pid_t ended = ::waitpid(pid, &status, WNOHANG);
    if (ended == pid) return status;
    if (ended < 0 && errno != EINTR) return 0;
    if (std::chrono::steady_clock::now() > deadline) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

int kill_and_wait(pid_t pid) {
  ::kill(pid, SIGKILL);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

std::string status_text(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    const char* name = ::sigdescr_np(signal);
    return fmt::format("was killed by signal {} ({})", signal,
                       name == nullptr ? "unknown" : name);
  }
  if (WEXITSTATUS(status) == 0) return "";
  return fmt::format("ended with status {}", WEXITSTATUS(status));
}

}  // namespace

ChildProcess::ChildProcess(const std::filesystem::path& program,
                           const std::vector<std::string>& arguments,
                           const std::vector<HandedFile>& files) {
  std::vector<std::string> texts = {program.string()};
  texts.insert(texts.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  FileActions actions;
  actions.hand_over(files);
  const int error = ::posix_spawn(&pid_, program.c_str(), actions.get(),
                                  nullptr, pointers.data(), environ);
  if (error != 0) {
    pid_ = -1;
    throw FatalError(fmt::format("{} cannot be started: {}", program.string(),
                                 std::strerror(error)));
  }
}

ChildProcess::~ChildProcess() {
  if (pid_ > 0) kill_and_wait(pid_);
}

bool ChildProcess::is_running() const {
  siginfo_t info{};
  const auto id = static_cast<id_t>(pid_);
  return pid_ > 0 &&
         ::waitid(P_PID, id, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == 0;
}

std::string ChildProcess::end() {
  if (pid_ <= 0) return "";
  const pid_t pid = std::exchange(pid_, -1);
  const auto status = wait_for(pid, std::chrono::seconds(1));
  if (status) return status_text(*status);
  kill_and_wait(pid);
  return "";
}

}  // namespace diarize
