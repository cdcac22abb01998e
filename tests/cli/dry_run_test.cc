#include "cli/dry_run.h"

#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <csignal>
#include <sstream>

namespace {

using diarize::ExitStatus;
using diarize::Job;
using diarize::test::TemporaryFolder;

struct Ended {
  ExitStatus status = ExitStatus::kAllDone;
  std::string errors;
};

Ended dry_run_of(const std::filesystem::path& path, int signal) {
  std::ostringstream errors;
  diarize::Options options;
  diarize::Console console(errors, options.talk, false);
  const Job job{path.string(), "a", "a"};
  const ExitStatus status =
      diarize::dry_run({job}, options, console, [&] { return signal; });
  return {status, errors.str()};
}

}  // namespace

TEST_SUITE("dry_run") {
  TEST_CASE("nothing is taken out of a pipe that has a name") {
    const TemporaryFolder folder;
    const auto pipe = folder.path() / "pipe.wav";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    const Ended ended = dry_run_of(pipe, 0);
    CHECK(ended.status == ExitStatus::kAllDone);
    CHECK(ended.errors.find(": a pipe, would be written to") !=
          std::string::npos);
  }

  TEST_CASE("a file that cannot be opened is named") {
    const TemporaryFolder folder;
    const Ended ended = dry_run_of(folder.write("a.wav", "text\n"), 0);
    CHECK(ended.status == ExitStatus::kSomeFailed);
    CHECK(ended.errors.find("a.wav: is text") != std::string::npos);
  }

  TEST_CASE("a signal ends it") {
    const TemporaryFolder folder;
    const auto path = folder.write("a.wav", "text\n");
    CHECK(dry_run_of(path, SIGINT).status == ExitStatus::kInterrupted);
    const Ended ended = dry_run_of(path, SIGTERM);
    CHECK(ended.status == ExitStatus::kTerminated);
    CHECK(ended.errors.empty());
  }
}
