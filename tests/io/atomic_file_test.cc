#include "io/atomic_file.h"

#include "core/error.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <string>
#include <thread>

using diarize::InputError;
using diarize::sweep_left_overs;
using diarize::write_whole_file;
using diarize::test::read_bytes;
using diarize::test::TemporaryFolder;

namespace {

namespace fs = std::filesystem;

auto num_files(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), {});
}

}  // namespace

TEST_SUITE("atomic file") {
  TEST_CASE("content is written and nothing is left beside it") {
    const TemporaryFolder folder;
    const std::string content(300000, 'x');
    write_whole_file(folder.path() / "a b.rttm", content);
    CHECK(read_bytes(folder.path() / "a b.rttm") == content);
    CHECK(num_files(folder.path()) == 1);
  }

  TEST_CASE("an old file is replaced and an empty one can be written") {
    const TemporaryFolder folder;
    const fs::path path = folder.write("a", "old");
    write_whole_file(path, "");
    CHECK(read_bytes(path).empty());
  }

  TEST_CASE("permissions follow the mask of the process") {
    const TemporaryFolder folder;
    const mode_t old_mask = ::umask(027);
    write_whole_file(folder.path() / "a", "x");
    ::umask(old_mask);
    CHECK(fs::status(folder.path() / "a").permissions() ==
          static_cast<fs::perms>(0640));
  }

  TEST_CASE("a name without a folder lies in the working directory") {
    const TemporaryFolder folder;
    const fs::path before = fs::current_path();
    fs::current_path(folder.path());
    write_whole_file("a", "x");
    fs::current_path(before);
    CHECK(read_bytes(folder.path() / "a") == "x");
  }

  TEST_CASE("a missing folder is an error that names the file") {
    CHECK_THROWS_WITH_AS(write_whole_file("/no/such/a.rttm", "x"),
                         "/no/such/a.rttm cannot be written: No such file or "
                         "directory",
                         InputError);
  }

  TEST_CASE("a folder of that name is an error that leaves nothing") {
    const TemporaryFolder folder;
    fs::create_directory(folder.path() / "a");
    CHECK_THROWS_AS(write_whole_file(folder.path() / "a", "x"), InputError);
    CHECK(num_files(folder.path()) == 1);
  }

  TEST_CASE("what a killed run left is swept") {
    const TemporaryFolder folder;
    folder.write(".diarize-0123456789abcdef.tmp", "half");
    folder.write("a.rttm", "whole");
    folder.write(".hidden", "of others");
    sweep_left_overs(folder.path());
    CHECK(num_files(folder.path()) == 2);
    CHECK(fs::exists(folder.path() / "a.rttm"));
  }

  TEST_CASE("what another run is writing is not swept") {
    const TemporaryFolder folder;
    const fs::path path = folder.write(".diarize-0.tmp", "half");
    const int file = ::open(path.c_str(), O_RDONLY);
    REQUIRE(::flock(file, LOCK_EX) == 0);
    sweep_left_overs(folder.path());
    CHECK(fs::exists(path));
    ::close(file);
    sweep_left_overs(folder.path());
    CHECK_FALSE(fs::exists(path));
  }

  TEST_CASE("a sweep during writes loses none of them") {
    const TemporaryFolder folder;
    std::atomic<bool> stop = false;
    std::thread sweeper([&] {
      while (!stop) sweep_left_overs(folder.path());
    });
    for (int i = 0; i < 50; ++i) {
      write_whole_file(folder.path() / std::to_string(i), "x");
    }
    stop = true;
    sweeper.join();
    CHECK(num_files(folder.path()) == 50);
  }

  TEST_CASE("sweeping a folder that is not there does nothing") {
    CHECK_NOTHROW(sweep_left_overs("/no/such/folder"));
  }
}
