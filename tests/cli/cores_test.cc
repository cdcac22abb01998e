#include "cli/cores.h"

#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <thread>

using diarize::cgroup_quota_cores;

TEST_SUITE("cores") {
  TEST_CASE("there is at least one core and not more than the machine has") {
    const int cores = diarize::available_cores();
    CHECK(cores >= 1);
    CHECK(cores <= static_cast<int>(std::thread::hardware_concurrency()));
  }

  TEST_CASE("a quota of version 2 is its share of the period") {
    const diarize::test::TemporaryFolder folder;
    folder.write("cpu.max", "150000 100000\n");
    CHECK(cgroup_quota_cores(folder.path()) == 1.5);
  }

  TEST_CASE("max is no quota") {
    const diarize::test::TemporaryFolder folder;
    folder.write("cpu.max", "max 100000\n");
    CHECK(cgroup_quota_cores(folder.path()) == 0);
  }

  TEST_CASE("a quota of version 1 lies in two files") {
    const diarize::test::TemporaryFolder folder;
    folder.write("cpu/cpu.cfs_quota_us", "200000\n");
    folder.write("cpu/cpu.cfs_period_us", "100000\n");
    CHECK(cgroup_quota_cores(folder.path()) == 2);
    folder.write("cpu/cpu.cfs_quota_us", "-1\n");
    CHECK(cgroup_quota_cores(folder.path()) == 0);
  }

  TEST_CASE("a folder without control groups has no quota") {
    CHECK(cgroup_quota_cores("/no/such/folder") == 0);
  }
}
