#include "cli/inputs.h"

#include "core/error.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <vector>

using diarize::FatalError;
using diarize::file_id_of;
using diarize::find_inputs;
using diarize::InputOptions;
using diarize::Inputs;
using diarize::Job;
using diarize::refuse_collisions;

namespace {

Inputs found(const InputOptions& options,
             const std::string& standard_input = "") {
  std::istringstream input(standard_input);
  return find_inputs(options, input);
}

// The output stems of the jobs.
std::vector<std::string> stems(const Inputs& inputs) {
  std::vector<std::string> result;
  for (const Job& job : inputs.jobs) {
    result.push_back(job.output_stem.string());
  }
  return result;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_SUITE("inputs") {
  TEST_CASE("a file id is the stem without white space") {
    CHECK(file_id_of("talk") == "talk");
    CHECK(file_id_of("a b\tc") == "a_b_c");
    CHECK(file_id_of("日本語 会議") == "日本語_会議");
    CHECK(file_id_of("日本語\u3000会議") == "日本語_会議");
    CHECK(file_id_of("a\u00a0b\u2003") == "a_b_");
    CHECK(file_id_of("").empty());
  }

  TEST_CASE("a file keeps its name and loses its last suffix") {
    const Inputs inputs = found({.audio = {"x/a b.tar.wav", "-rf.wav"}});
    REQUIRE(inputs.jobs.size() == 2);
    CHECK(inputs.jobs[0].input == "x/a b.tar.wav");
    CHECK(inputs.jobs[0].output_stem == "a b.tar");
    CHECK(inputs.jobs[0].file_id == "a_b.tar");
    CHECK(inputs.jobs[1].output_stem == "-rf");
  }

  TEST_CASE("standard input is called stdin") {
    const Inputs inputs = found({.audio = {"-"}});
    REQUIRE(inputs.jobs.size() == 1);
    CHECK(inputs.jobs[0].is_standard_input());
    CHECK(inputs.jobs[0].file_id == "stdin");
  }

  TEST_CASE("a missing file is a job that will fail") {
    CHECK(found({.audio = {"/no/such.wav"}}).jobs.size() == 1);
  }

  TEST_CASE("a folder gives its audio files by name") {
    const diarize::test::TemporaryFolder folder;
    for (const char* name :
         {"b.WAV", "a.flac", "notes.txt", "._a.wav", "below/c.mp3"}) {
      folder.write(name, "");
    }
    const std::string path = folder.path().string();
    CHECK(stems(found({.audio = {path}})) == Names{"a", "b"});
    CHECK(stems(found({.audio = {path + "/"}, .recursive = true})) ==
          Names{"a", "b", "below/c"});
  }

  TEST_CASE("a folder without audio is a warning") {
    const diarize::test::TemporaryFolder folder;
    const Inputs inputs = found({.audio = {folder.path().string()}});
    CHECK(inputs.jobs.empty());
    REQUIRE(inputs.warnings.size() == 1);
    CHECK(inputs.warnings[0].starts_with(folder.path().string() + ": "));
  }

  TEST_CASE("a list has a path a line with comments and blank lines") {
    const diarize::test::TemporaryFolder folder;
    const std::string list =
        folder.write("list", "# these\nx/a.wav\n\n b.wav\r\nc d.wav");
    CHECK(stems(found({.audio = {"first.wav"}, .input_list = list})) ==
          Names{"first", "a", " b", "c d"});
  }

  TEST_CASE("a list can come from standard input") {
    CHECK(stems(found({.input_list = "-"}, "a.wav\nb.wav\n")) ==
          Names{"a", "b"});
  }

  TEST_CASE("what cannot be read is refused") {
    CHECK_THROWS_AS(found({.input_list = "/no/such/list"}), FatalError);
    CHECK_THROWS_AS(found({.audio = {"-", "-"}}), FatalError);
    CHECK_THROWS_AS(found({.audio = {"-"}, .input_list = "-"}), FatalError);
    CHECK_THROWS_AS(found({}), FatalError);
  }

  TEST_CASE("two inputs with one output name are refused by both names") {
    const Inputs inputs = found({.audio = {"x/a.wav", "b.wav", "y/a.flac"}});
    CHECK_THROWS_WITH_AS(
        refuse_collisions(inputs.jobs, true),
        "x/a.wav and y/a.flac: both would be written as \"a\"; nothing was "
        "started (rename one, or use one output folder for each)",
        FatalError);
    CHECK_THROWS_AS(refuse_collisions(inputs.jobs, false), FatalError);
  }

  TEST_CASE("names that differ in white space clash on standard output alone") {
    const Inputs inputs = found({.audio = {"a b.wav", "a_b.wav"}});
    CHECK_NOTHROW(refuse_collisions(inputs.jobs, true));
    CHECK_THROWS_AS(refuse_collisions(inputs.jobs, false), FatalError);
  }

  TEST_CASE("equal names in different sub-folders do not clash") {
    const diarize::test::TemporaryFolder folder;
    folder.write("x/a.wav", "");
    folder.write("y/a.wav", "");
    const Inputs inputs =
        found({.audio = {folder.path().string()}, .recursive = true});
    REQUIRE(inputs.jobs.size() == 2);
    CHECK_NOTHROW(refuse_collisions(inputs.jobs, true));
  }
}
