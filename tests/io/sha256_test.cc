#include "io/sha256.h"

#include "core/error.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <string>

using diarize::FatalError;
using diarize::sha256_of_file;
using diarize::test::TemporaryFolder;

TEST_SUITE("sha256") {
  // FIPS 180-4 and its published examples.
  TEST_CASE("digests are those of the standard") {
    const TemporaryFolder folder;
    CHECK(sha256_of_file(folder.write("empty", "")) ==
          "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(sha256_of_file(folder.write("abc", "abc")) ==
          "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(sha256_of_file(folder.write("million", std::string(1000000, 'a'))) ==
          "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  }

  TEST_CASE("what cannot be read is an error with its path") {
    const TemporaryFolder folder;
    const auto absent = folder.path() / "absent";
    CHECK_THROWS_WITH_AS((void)sha256_of_file(absent),
                         (absent.string() + ": cannot be opened").c_str(),
                         FatalError);
    CHECK_THROWS_AS((void)sha256_of_file(folder.path()), FatalError);
  }

  TEST_CASE("a published file has the digest it is published with") {
    const auto path =
        diarize::test::shared_data("data/models/community1_plda/plda.npz");
    if (!path) return;
    CHECK(sha256_of_file(*path) ==
          "9b77bcd840692710dd3496f62ecfeed8d8e5f002fd991b785079b244eab7d255");
  }
}
