#include "io/sandbox.h"

#include "core/error.h"

#include <fmt/format.h>
#include <seccomp.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

namespace diarize {

namespace {

// Files, memory, threads' locks, time, and the end.
constexpr std::array kAllowed = {
    SCMP_SYS(read),
    SCMP_SYS(readv),
    SCMP_SYS(pread64),
    SCMP_SYS(write),
    SCMP_SYS(writev),
    SCMP_SYS(pwrite64),
    SCMP_SYS(lseek),
    SCMP_SYS(_llseek),
    SCMP_SYS(fstat),
    SCMP_SYS(fstat64),
    SCMP_SYS(newfstatat),
    SCMP_SYS(statx),
    SCMP_SYS(fcntl),
    SCMP_SYS(fcntl64),
    SCMP_SYS(close),
    SCMP_SYS(poll),
    SCMP_SYS(ppoll),
    SCMP_SYS(sendmsg),
    SCMP_SYS(recvmsg),
    SCMP_SYS(brk),
    SCMP_SYS(mmap),
    SCMP_SYS(mmap2),
    SCMP_SYS(munmap),
    SCMP_SYS(mremap),
    SCMP_SYS(mprotect),
    SCMP_SYS(madvise),
    SCMP_SYS(futex),
    SCMP_SYS(clock_gettime),
    SCMP_SYS(gettimeofday),
    SCMP_SYS(getrandom),
    SCMP_SYS(getpid),
    SCMP_SYS(gettid),
    SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(rt_sigaction),
    SCMP_SYS(rt_sigreturn),
    SCMP_SYS(sigreturn),
    SCMP_SYS(restart_syscall),
    SCMP_SYS(sched_yield),
    SCMP_SYS(exit),
    SCMP_SYS(exit_group),
};

struct Release {
  void operator()(void* filter) const { seccomp_release(filter); }
};

void check(int status, const char* what) {
  if (status < 0) {
    throw FatalError(fmt::format("no sandbox for the decoder: {}: {}", what,
                                 std::strerror(-status)));
  }
}

}  // namespace

void limit_memory(std::int64_t bytes) {
  const auto size = static_cast<rlim_t>(bytes);
  const rlimit limit{size, size};
  if (::setrlimit(RLIMIT_AS, &limit) != 0) {
    throw FatalError(fmt::format("memory cannot be limited to {} bytes: {}",
                                 bytes, std::strerror(errno)));
  }
}

void enter_sandbox() {
  const std::unique_ptr<void, Release> filter(
      seccomp_init(SCMP_ACT_ERRNO(EPERM)));
  if (!filter) throw FatalError("no sandbox for the decoder: no memory");
  for (const int call : kAllowed) {
    check(seccomp_rule_add(filter.get(), SCMP_ACT_ALLOW, call, 0), "a rule");
  }
  // tgkill to itself is how abort() ends a process.
  const scmp_arg_cmp itself{0, SCMP_CMP_EQ,
                            static_cast<scmp_datum_t>(::getpid()), 0};
  check(seccomp_rule_add_array(filter.get(), SCMP_ACT_ALLOW, SCMP_SYS(tgkill),
                               1, &itself),
        "a rule");
  check(seccomp_load(filter.get()), "loading");
}

std::string sandbox_name() {
  const scmp_version* version = seccomp_version();
  return fmt::format("seccomp (libseccomp {}.{}.{})", version->major,
                     version->minor, version->micro);
}

}  // namespace diarize
