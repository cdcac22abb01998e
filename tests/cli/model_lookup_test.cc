#include "cli/model_lookup.h"

#include "core/error.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

using diarize::FatalError;
using diarize::find_model;

TEST_SUITE("model lookup") {
  TEST_CASE("a named folder is taken as it is") {
    const diarize::test::TemporaryFolder folder;
    CHECK(find_model(folder.path().string(), "/") == folder.path());
  }

  TEST_CASE("a named folder that is not there is refused by its name") {
    CHECK_THROWS_WITH_AS(static_cast<void>(find_model("/no/such", "/")),
                         "--model: /no/such is not a folder, one with a "
                         "config.yaml expected",
                         FatalError);
  }

  TEST_CASE("the folder beside the program comes first") {
    const diarize::test::TemporaryFolder root;
    root.write("share/diarize/models/default/config.yaml", "");
    CHECK(find_model("", root.path() / "bin") ==
          root.path() / "share/diarize/models/default");
  }

  TEST_CASE("folders that are looked in are those beside program and user") {
    CHECK(diarize::default_model_folders("/usr/bin") ==
          std::vector<std::filesystem::path>{
              "/usr/share/diarize/models/default", "models/default"});
  }

  TEST_CASE("a program in its build folder finds the models of its checkout") {
    const diarize::test::TemporaryFolder root;
    root.write("CMakePresets.json", "");
    root.write("models/default/config.yaml", "");
    const auto folders =
        diarize::default_model_folders(root.path() / "build/release");
    CHECK(folders.back() == root.path() / "models/default");
  }

  TEST_CASE("the running program lies in a folder") {
    CHECK(std::filesystem::is_directory(diarize::program_folder()));
  }
}
