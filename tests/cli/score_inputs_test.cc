#include "cli/score_inputs.h"

#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>

using diarize::read_score_inputs;
using diarize::ScoreInputs;
using diarize::test::TemporaryFolder;

namespace {

std::string turn(std::string_view file_id, std::string_view label) {
  return "SPEAKER " + std::string(file_id) + " 1 1.0 2.0 <NA> <NA> " +
         std::string(label) + " <NA> <NA>\n";
}

// References below ref/ and hypotheses below hyp/, both folders.
ScoreInputs read_folders(const TemporaryFolder& folder,
                         bool recursive = false) {
  return read_score_inputs({{folder.path() / "ref"},
                            {folder.path() / "hyp"},
                            recursive,
                            std::nullopt});
}

// The only problem, which begins with this path.
void check_problem(const ScoreInputs& inputs, const std::filesystem::path& path,
                   std::string_view text) {
  CHECK(inputs.pairs.empty());
  REQUIRE(inputs.problems.size() == 1);
  CHECK(inputs.problems[0].starts_with(path.string() + ": "));
  CHECK_MESSAGE(inputs.problems[0].find(text) != std::string::npos,
                inputs.problems[0]);
}

}  // namespace

TEST_SUITE("score_inputs") {
  TEST_CASE("folders are paired by file id and not by name") {
    const TemporaryFolder folder;
    folder.write("ref/b.rttm", turn("b", "ann"));
    folder.write("ref/a.rttm", turn("a", "bob"));
    folder.write("ref/notes.txt", "no RTTM");
    folder.write("hyp/all.rttm", turn("a", "x") + turn("b", "y"));
    const ScoreInputs inputs = read_folders(folder);
    CHECK(inputs.problems.empty());
    REQUIRE(inputs.pairs.size() == 2);
    CHECK(inputs.pairs[0].reference.file_id == "a");
    CHECK(inputs.pairs[0].reference.turns.at(0).label == "bob");
    CHECK(inputs.pairs[0].hypothesis.turns.at(0).label == "x");
    CHECK(inputs.pairs[1].hypothesis.turns.at(0).label == "y");
    CHECK_FALSE(inputs.pairs[0].uem.has_value());
  }

  TEST_CASE("an empty file is a recording of its stem without turns") {
    const TemporaryFolder folder;
    folder.write("ref/a.b_c.rttm", turn("a.b_c", "ann"));
    folder.write("hyp/a.b c.rttm", "\n;; nobody speaks\n");
    const ScoreInputs inputs = read_folders(folder);
    REQUIRE(inputs.pairs.size() == 1);
    CHECK(inputs.pairs[0].hypothesis.file_id == "a.b_c");
    CHECK(inputs.pairs[0].hypothesis.turns.empty());
  }

  TEST_CASE("a reference without hypothesis is named") {
    const TemporaryFolder folder;
    folder.write("ref/a.rttm", turn("a", "ann"));
    const auto lonely = folder.write("ref/b.rttm", turn("b", "ann"));
    folder.write("hyp/a.rttm", turn("a", "x"));
    check_problem(read_folders(folder), lonely,
                  "no hypothesis has its file id 'b'");
  }

  TEST_CASE("a hypothesis without reference is named") {
    const TemporaryFolder folder;
    folder.write("ref/a.rttm", turn("a", "ann"));
    folder.write("hyp/a.rttm", turn("a", "x"));
    const auto lonely = folder.write("hyp/empty.rttm", "");
    check_problem(read_folders(folder), lonely,
                  "no reference has its file id 'empty'");
  }

  TEST_CASE("a file id in two files of one side is refused") {
    const TemporaryFolder folder;
    const auto first = folder.write("ref/a.1.rttm", turn("a", "ann"));
    const auto second = folder.write("ref/a.2.rttm", turn("a", "bob"));
    folder.write("hyp/a.rttm", turn("a", "x"));
    check_problem(read_folders(folder), second,
                  "file id 'a' is in " + first.string() + " too");
  }

  TEST_CASE("what cannot be read is named before anything is paired") {
    const TemporaryFolder folder;
    const auto broken =
        folder.write("ref/a.rttm", turn("a", "ann") + "SPEAKER");
    folder.write("hyp/b.rttm", turn("b", "x"));
    check_problem(read_folders(folder), broken, "line 2: ");

    const auto absent = folder.path() / "absent.rttm";
    check_problem(read_score_inputs(
                      {{absent}, {folder.path() / "hyp"}, false, std::nullopt}),
                  absent, "No such file");
  }

  TEST_CASE("every problem gets its line") {
    const TemporaryFolder folder;
    folder.write("ref/a.rttm", "garbage");
    folder.write("ref/b.rttm", turn("b", "ann"));
    folder.write("hyp/c.rttm", "SPEAKER");
    CHECK(read_folders(folder).problems.size() == 2);
  }

  TEST_CASE("sub-folders are taken on request") {
    const TemporaryFolder folder;
    folder.write("ref/deep/a.rttm", turn("a", "ann"));
    folder.write("hyp/a.rttm", turn("a", "x"));
    check_problem(read_folders(folder), folder.path() / "ref",
                  "holds no *.rttm file");
    CHECK(read_folders(folder, true).pairs.size() == 1);
  }

  TEST_CASE("the evaluation map has to name every recording") {
    const TemporaryFolder folder;
    folder.write("ref/a.rttm", turn("a", "ann") + turn("b", "ann"));
    folder.write("hyp/a.rttm", turn("a", "x") + turn("b", "x"));
    const auto uem = folder.write("some.uem", "b 1 0 3\nc 1 0 9\n");
    const diarize::ScoreInputOptions options = {
        {folder.path() / "ref"}, {folder.path() / "hyp"}, false, uem};
    check_problem(read_score_inputs(options), uem, "no line for file id 'a'");

    folder.write("some.uem", "b 1 0 3\na 1 0 9\nb 1 5 6\n");
    const ScoreInputs inputs = read_score_inputs(options);
    REQUIRE(inputs.pairs.size() == 2);
    CHECK(inputs.pairs[1].uem == diarize::Spans{{0, 3}, {5, 6}});

    folder.write("some.uem", "b 1 0\n");
    check_problem(read_score_inputs(options), uem, "line 1: ");
  }
}
