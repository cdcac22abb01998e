#include "cli/score.h"

#include "tests/support/temporary_folder.h"

#include <CLI/CLI.hpp>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

using diarize::run_score;
using diarize::ScoreCommand;
using diarize::test::TemporaryFolder;

namespace {

ScoreCommand parse(std::vector<std::string> arguments) {
  CLI::App app;
  ScoreCommand command;
  diarize::add_score_options(app, command);
  std::ranges::reverse(arguments);
  app.parse(arguments);
  return command;
}

std::string help() {
  CLI::App app;
  ScoreCommand command;
  diarize::add_score_options(app, command);
  return app.help();
}

// A reference of 10 s whose last 2 s the hypothesis misses.
ScoreCommand command_in(const TemporaryFolder& folder) {
  ScoreCommand command;
  command.inputs.references = {folder.write(
      "ref.rttm", "SPEAKER talk 1 0 10 <NA> <NA> ann <NA> <NA>\n")};
  command.inputs.hypotheses = {
      folder.write("hyp.rttm", "SPEAKER talk 1 0 8 <NA> <NA> x <NA> <NA>\n")};
  return command;
}

}  // namespace

TEST_SUITE("score command") {
  TEST_CASE("several paths may follow each side") {
    const ScoreCommand command =
        parse({"--ref", "a.rttm", "b.rttm", "--hyp", "out", "--ref", "c"});
    CHECK(command.inputs.references ==
          std::vector<std::filesystem::path>{"a.rttm", "b.rttm", "c"});
    CHECK(command.inputs.hypotheses ==
          std::vector<std::filesystem::path>{"out"});
    CHECK_FALSE(command.inputs.uem.has_value());
    CHECK_FALSE(command.inputs.recursive);
    CHECK_FALSE(command.json);
    CHECK(command.scoring.collar == 0.0);
    CHECK_FALSE(command.scoring.skip_overlap);
  }

  TEST_CASE("every option arrives") {
    const ScoreCommand command =
        parse({"--uem", "all.uem", "--collar", "0.25", "--skip-overlap",
               "--json", "-r", "--ref", "a", "--hyp", "b"});
    CHECK(command.inputs.uem == "all.uem");
    CHECK(command.scoring.collar == 0.25);
    CHECK(command.scoring.skip_overlap);
    CHECK(command.json);
    CHECK(command.inputs.recursive);
  }

  TEST_CASE("both sides are needed") {
    CHECK_THROWS_AS(parse({"--ref", "a"}), CLI::ParseError);
    CHECK_THROWS_AS(parse({"--hyp", "a"}), CLI::ParseError);
    CHECK_THROWS_AS(parse({"--ref", "--hyp", "a"}), CLI::ParseError);
  }

  TEST_CASE("a collar that is no length of time is refused") {
    for (const char* collar : {"-0.1", "nan", "inf", "wide", "0.25s"}) {
      CAPTURE(collar);
      CHECK_THROWS_AS(parse({"--ref", "a", "--hyp", "b", "--collar", collar}),
                      CLI::ParseError);
    }
  }

  TEST_CASE("the help says how pyannote counts the collar") {
    CHECK(help().find("pyannote.metrics counts the total") !=
          std::string::npos);
  }

  TEST_CASE("the table goes to the output") {
    const TemporaryFolder folder;
    std::ostringstream out;
    std::ostringstream err;
    CHECK(run_score(command_in(folder), out, err) == 0);
    CHECK(out.str().find("\npooled   20.00   20.00 ") != std::string::npos);
    CHECK(err.str().empty());
  }

  TEST_CASE("JSON and the options of scoring are obeyed") {
    const TemporaryFolder folder;
    ScoreCommand command = command_in(folder);
    command.json = true;
    command.scoring.collar = 0.5;
    command.inputs.uem = folder.write("talk.uem", "talk 1 0 9\n");
    std::ostringstream out;
    std::ostringstream err;
    CHECK(run_score(command, out, err) == 0);
    const auto json = nlohmann::json::parse(out.str());
    CHECK(json.at("pooled").at("total") == 8.5);
    CHECK(json.at("pooled").at("missed") == 1.0);
    CHECK(json.at("collar") == 0.5);
  }

  TEST_CASE("problems go to the errors and nothing to the output") {
    const TemporaryFolder folder;
    ScoreCommand command = command_in(folder);
    command.inputs.references.push_back(folder.write("lonely.rttm", ""));
    std::ostringstream out;
    std::ostringstream err;
    CHECK(run_score(command, out, err) == 1);
    CHECK(out.str().empty());
    CHECK(err.str() == "diarize: " + (folder.path() / "lonely.rttm").string() +
                           ": no hypothesis has its file id 'lonely'\n");
  }

  TEST_CASE("an output that cannot be written is a failure") {
    const TemporaryFolder folder;
    std::ostringstream out;
    std::ostringstream err;
    out.setstate(std::ios::badbit);
    CHECK(run_score(command_in(folder), out, err) == 1);
    CHECK(err.str().find("standard output") != std::string::npos);
  }
}
