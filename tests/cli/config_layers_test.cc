#include "cli/config_layers.h"

#include "core/error.h"
#include "tests/support/temporary_folder.h"

#include <CLI/CLI.hpp>
#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

using diarize::FatalError;
using diarize::parse_layered;

namespace {

using Arguments = std::vector<std::string>;

struct Values {
  int num_speakers = 0;
  bool exclusive = false;
  std::string output_dir;
  Arguments formats{"rttm"};
  Arguments audio;
};

// The values after all layers.
Values parsed(const Arguments& arguments,
              const std::map<std::string, std::string>& variables = {},
              const std::string& section = "") {
  Values values;
  CLI::App app;
  app.add_option("AUDIO", values.audio);
  app.add_option("--num-speakers", values.num_speakers);
  app.add_flag("--exclusive", values.exclusive);
  app.add_option("-o,--output-dir", values.output_dir);
  app.add_option("-f,--format", values.formats)
      ->allow_extra_args(false)
      ->delimiter(',');
  parse_layered(app, section, arguments,
                [&](const std::string& name) -> std::optional<std::string> {
                  const auto found = variables.find(name);
                  if (found == variables.end()) return std::nullopt;
                  return found->second;
                });
  return values;
}

}  // namespace

TEST_SUITE("config layers") {
  TEST_CASE("underscores stand for dashes in long names") {
    CHECK(parsed({"--num_speakers", "2"}).num_speakers == 2);
    CHECK(parsed({"--num_speakers=3"}).num_speakers == 3);
    CHECK(parsed({"--output_dir", "my_out"}).output_dir == "my_out");
    CHECK(parsed({"--output_dir=my_out"}).output_dir == "my_out");
  }

  TEST_CASE("what follows two dashes keeps its underscores") {
    CHECK(parsed({"--", "--num_speakers"}).audio ==
          Arguments{"--num_speakers"});
  }

  TEST_CASE("names in brackets are no lists") {
    CHECK(parsed({"[a,b]", "--", "[c]"}).audio ==
          Arguments{"./[a,b]", "./[c]"});
  }

  TEST_CASE("variables are named after the long names") {
    CHECK(diarize::variable_name("", "min-duration-on") ==
          "DIARIZE_MIN_DURATION_ON");
    CHECK(diarize::variable_name("score", "collar") == "DIARIZE_SCORE_COLLAR");
  }

  TEST_CASE("a variable sets what no flag sets") {
    const Values values = parsed({"a.wav"}, {{"DIARIZE_NUM_SPEAKERS", "4"},
                                             {"DIARIZE_EXCLUSIVE", "1"},
                                             {"DIARIZE_FORMAT", "json,rttm"}});
    CHECK(values.num_speakers == 4);
    CHECK(values.exclusive);
    CHECK(values.formats == Arguments{"json", "rttm"});
    CHECK(values.audio == Arguments{"a.wav"});
  }

  TEST_CASE("an empty variable sets nothing") {
    CHECK(parsed({}, {{"DIARIZE_NUM_SPEAKERS", ""}}).num_speakers == 0);
  }

  TEST_CASE("a flag wins over its variable and the variable over the file") {
    const diarize::test::TemporaryFolder folder;
    const std::string file = folder.write(
        "c.toml", "num-speakers = 2\noutput_dir = \"from file\"\n");
    const std::map<std::string, std::string> variable{
        {"DIARIZE_NUM_SPEAKERS", "3"}};

    CHECK(parsed({"--config", file}).num_speakers == 2);
    CHECK(parsed({"--config", file}, variable).num_speakers == 3);
    CHECK(parsed({"--config", file, "--num-speakers", "4"}, variable)
              .num_speakers == 4);
    CHECK(parsed({"--config", file}, variable).output_dir == "from file");
  }

  TEST_CASE("lists and flags come from the file too") {
    const diarize::test::TemporaryFolder folder;
    const std::string file = folder.write(
        "c.toml", "# comment\nformat = [\"rttm\", \"json\"]\nexclusive=true\n");
    const Values values = parsed({"--config", file});
    CHECK(values.formats == Arguments{"rttm", "json"});
    CHECK(values.exclusive);
    CHECK(parsed({"--config", file, "-f", "json"}).formats ==
          Arguments{"json"});
  }

  TEST_CASE("a flag can be taken back where a lower layer sets it") {
    CHECK_FALSE(parsed({"--exclusive=false"}, {{"DIARIZE_EXCLUSIVE", "true"}})
                    .exclusive);
  }

  TEST_CASE("the file itself can come from a variable") {
    const diarize::test::TemporaryFolder folder;
    const std::string file = folder.write("c.toml", "num-speakers=7\n");
    CHECK(parsed({}, {{"DIARIZE_CONFIG", file}}).num_speakers == 7);
  }

  TEST_CASE("a sub-command has its own variables and section") {
    const diarize::test::TemporaryFolder folder;
    const std::string file =
        folder.write("c.toml", "num-speakers=7\n[score]\nnum-speakers=8\n");
    CHECK(parsed({"--config", file}).num_speakers == 7);
    CHECK(parsed({"--config", file}, {}, "score").num_speakers == 8);
    CHECK(parsed({}, {{"DIARIZE_NUM_SPEAKERS", "3"}}, "score").num_speakers ==
          0);
  }

  TEST_CASE("a file with a name that is no option is refused") {
    const diarize::test::TemporaryFolder folder;
    const std::string file = folder.write("c.toml", "num-speekers=7\n");
    CHECK_THROWS_WITH_AS(
        parsed({"--config", file}),
        ("--config: " + file + ": \"num-speekers\" is no option").c_str(),
        FatalError);
  }

  TEST_CASE("an option with nothing after its sign takes no file for it") {
    CHECK_THROWS_AS((void)parsed({"--num-speakers=", "a.wav"}, {}),
                    diarize::FatalError);
    CHECK_THROWS_AS((void)parsed({"--num_speakers=", "a.wav"}, {}),
                    diarize::FatalError);
  }

  TEST_CASE("a folder is no file of options") {
    CHECK_THROWS_AS((void)parsed({"--config", "/", "a.wav"}, {}),
                    diarize::FatalError);
  }

  TEST_CASE("a file that is not there is refused") {
    CHECK_THROWS_AS(parsed({"--config", "/no/such/file"}), FatalError);
  }

  TEST_CASE("values of variables are checked like those of flags") {
    CHECK_THROWS_AS(parsed({}, {{"DIARIZE_NUM_SPEAKERS", "two"}}),
                    CLI::ParseError);
  }
}
