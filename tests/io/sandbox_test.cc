#include "io/sandbox.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <functional>
#include <new>
#include <vector>

// The run times of sanitizers do what the sandbox forbids.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {

// What `work` returns in a process of its own.
int status_of(const std::function<int()>& work) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    int status = 99;
    try {
      status = work();
    } catch (...) {
    }
    ::_exit(status);
  }
  int status = 0;
  REQUIRE(::waitpid(pid, &status, 0) == pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 100;
}

bool is_refused(long result) { return result < 0 && errno == EPERM; }

}  // namespace

TEST_SUITE("sandbox") {
  TEST_CASE("files and networks and programs are out of reach") {
    CHECK(status_of([] {
            diarize::enter_sandbox();
            if (!is_refused(::open("/etc/hostname", O_RDONLY))) return 1;
            if (!is_refused(::open("/tmp/diarize", O_CREAT | O_RDWR, 0600))) {
              return 2;
            }
            if (!is_refused(::socket(AF_INET, SOCK_STREAM, 0))) return 3;
            if (!is_refused(::socket(AF_UNIX, SOCK_STREAM, 0))) return 4;
            if (!is_refused(::fork())) return 5;
            if (!is_refused(::execl("/bin/true", "true", nullptr))) return 6;
            if (!is_refused(::kill(::getppid(), 0))) return 7;
            if (!is_refused(::unlink("/tmp/diarize"))) return 8;
            return 0;
          }) == 0);
  }

  TEST_CASE("open descriptors and memory stay in reach") {
    CHECK(status_of([] {
            const int zero = ::open("/dev/zero", O_RDONLY);
            diarize::enter_sandbox();
            std::vector<char> bytes(1 << 24);
            if (::read(zero, bytes.data(), bytes.size()) < 0) return 1;
            if (::lseek(zero, 0, SEEK_SET) != 0) return 2;
            return 0;
          }) == 0);
  }

  TEST_CASE("memory beyond the limit is refused") {
    CHECK(status_of([] {
            diarize::limit_memory(std::int64_t{1} << 28);
            try {
              const std::vector<char> bytes(std::size_t{1} << 29);
              return static_cast<int>(bytes[0]) + 1;
            } catch (const std::bad_alloc&) {
              return 0;
            }
          }) == 0);
  }
}

#endif
