#include "cli/free_memory.h"

#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

using diarize::available_bytes;
using diarize::cgroup_free_bytes;
using diarize::test::TemporaryFolder;

TEST_SUITE("free memory") {
  TEST_CASE("this machine has some memory free") {
    CHECK(diarize::free_memory_bytes() > 0);
  }

  TEST_CASE("what is available is read from the machine's table") {
    const TemporaryFolder folder;
    CHECK(available_bytes(folder.write(
              "m", "MemTotal:  900 kB\nMemAvailable:  600 kB\n")) ==
          std::size_t{600 * 1024});
    CHECK_FALSE(available_bytes(folder.write("n", "MemTotal:  900 kB\n")));
    CHECK_FALSE(available_bytes("/no/such/file"));
  }

  TEST_CASE("pages of files give way in a group of version 2") {
    const TemporaryFolder folder;
    folder.write("memory.max", "1000\n");
    folder.write("memory.current", "700\n");
    CHECK(cgroup_free_bytes(folder.path()) == std::size_t{300});
    folder.write("memory.stat", "anon 400\ninactive_file 250\nslab 5\n");
    CHECK(cgroup_free_bytes(folder.path()) == std::size_t{550});
    folder.write("memory.current", "2000\n");
    CHECK(cgroup_free_bytes(folder.path()) == std::size_t{0});
    folder.write("memory.max", "max\n");
    CHECK_FALSE(cgroup_free_bytes(folder.path()));
  }

  TEST_CASE("a limit of version 1 lies in its own folder") {
    const TemporaryFolder folder;
    CHECK_FALSE(cgroup_free_bytes(folder.path()));
    folder.write("memory/memory.limit_in_bytes", "5000\n");
    folder.write("memory/memory.usage_in_bytes", "1500\n");
    CHECK(cgroup_free_bytes(folder.path()) == std::size_t{3500});
    folder.write("memory/memory.limit_in_bytes", "9223372036854771712\n");
    CHECK_FALSE(cgroup_free_bytes(folder.path()));
  }
}
