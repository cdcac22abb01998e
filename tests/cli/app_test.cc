#include "cli/app.h"

#include "core/error.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

using diarize::DiarizedFile;
using diarize::FileDiarizer;
using diarize::Job;

namespace {

namespace fs = std::filesystem;

// One speaker for each file but those whose name begins with "bad".
class StandIn : public FileDiarizer {
 public:
  [[nodiscard]] std::string model() const override { return "stand-in"; }
  DiarizedFile diarize(const Job& job,
                       const diarize::BatchState& batch) override {
    if (job.file_id.starts_with("bad")) throw diarize::InputError("not audio");
    batch.progress.advance(job, 3);
    DiarizedFile file;
    diarize::Diarization& found = file.diarization.channels.emplace_back();
    found.turns = {{1, 2, 0}};
    found.num_speakers = 1;
    found.seconds = 3;
    return file;
  }
};

struct Ended {
  int status = -1;
  std::string output;
  std::string errors;
  bool loaded = false;

  [[nodiscard]] bool said(const std::string& part) const {
    return errors.find(part) != std::string::npos;
  }
};

Ended run(const std::vector<std::string>& arguments,
          const std::map<std::string, std::string>& variables = {}) {
  std::istringstream input;
  std::ostringstream output;
  std::ostringstream errors;
  Ended ended;
  const diarize::Surroundings surroundings{
      input, output, errors, false,
      [&](const std::string& name) -> std::optional<std::string> {
        const auto found = variables.find(name);
        if (found == variables.end()) return std::nullopt;
        return found->second;
      }};
  const auto check = [](const diarize::Options& options) {
    if (options.pipeline.model == "none") throw diarize::FatalError("no model");
  };
  const auto load = [&](const diarize::Options& options, diarize::Console&) {
    ended.loaded = true;
    check(options);
    return std::make_unique<StandIn>();
  };
  ended.status = diarize::run_program(arguments, surroundings, {load, check});
  ended.output = output.str();
  ended.errors = errors.str();
  return ended;
}

const std::string kLine = " 1 1.000 2.000 <NA> <NA> SPEAKER_00 <NA> <NA>\n";

}  // namespace

TEST_SUITE("app") {
  TEST_CASE("results of several files go to standard output in their order") {
    const Ended ended = run({"b.wav", "a c.wav"});
    CHECK(ended.status == 0);
    CHECK(ended.output == "SPEAKER b" + kLine + "SPEAKER a_c" + kLine);
    CHECK(ended.said("diarize: b.wav: 3.0 s, 1 speaker\n"));
    CHECK(ended.said("device cpu"));
    CHECK(ended.said("diarize: 2 done, 0 skipped, 0 failed, "));
  }

  TEST_CASE("a failed file is named and leaves the others done") {
    const diarize::test::TemporaryFolder folder;
    const Ended ended =
        run({"a.wav", "bad.wav", "c.wav", "-o", folder.path().string()});
    CHECK(ended.status == 1);
    CHECK(ended.output.empty());
    CHECK(ended.said("diarize: bad.wav: not audio\n"));
    CHECK(ended.said("2 done, 0 skipped, 1 failed"));
    CHECK(fs::exists(folder.path() / "a.rttm"));
    CHECK(fs::exists(folder.path() / "c.rttm"));
    CHECK_FALSE(fs::exists(folder.path() / "bad.rttm"));
  }

  TEST_CASE("wrong usage ends with 2 and one line before a model is loaded") {
    const std::vector<std::vector<std::string>> wrong = {
        {},
        {"--no-such-flag", "a.wav"},
        {"a.wav", "--num-speakers", "0"},
        {"a.wav", "--num-speakers", "two"},
        {""},
        {"a.wav", "--profile=/no/such/folder/p"},
        {"a.wav", "--manifest", "/no/such/folder/m"},
        {"a.wav", "-o", "/dev/null/out"},
        {"a.wav", "--device", "cuda:9"},
        {"a.wav", "-f", "rttm,json"},
        {"x/a.wav", "y/a.wav", "-o", "out"},
        {"a.wav", "--config", "/no/such/file"},
        {"score", "--no-such-flag"}};
    for (const auto& arguments : wrong) {
      const Ended ended = run(arguments);
      CAPTURE(ended.errors);
      CHECK(ended.status == 2);
      CHECK_FALSE(ended.loaded);
      CHECK(ended.output.empty());
      CHECK(ended.errors.starts_with("diarize: "));
      CHECK(ended.errors.find('\n') == ended.errors.size() - 1);
    }
  }

  TEST_CASE("a value that is no number is told from one that is") {
    CHECK(run({"a.wav", "--num-speakers", "1.5"}).errors ==
          "diarize: --num-speakers: 1.5 given, a whole number expected (see "
          "diarize --help)\n");
    CHECK(run({"a.wav", "--step=x"}).errors ==
          "diarize: --step: x given, a number expected (see diarize --help)\n");
    CHECK(run({"a.wav", ""}).errors ==
          "diarize: AUDIO: an empty name given, a file, a folder or - "
          "expected\n");
  }

  TEST_CASE("a dry run ends with 2 where a run would") {
    const diarize::test::TemporaryFolder folder;
    const std::string file = folder.write("file", "");
    const std::string out = folder.path() / "out";
    const std::vector<std::vector<std::string>> wrong = {
        {"--model", "none"},
        {"--manifest", "/no/such/folder/m"},
        {"--manifest", file + "/m"},
        {"--manifest", folder.path()},
        {"--profile=/no/such/folder/p"},
        {"-o", file + "/out"},
        {"-o", file}};
    for (std::vector<std::string> arguments : wrong) {
      arguments.insert(arguments.end(), {"a.wav"});
      const Ended real = run(arguments);
      CAPTURE(real.errors);
      CHECK(real.status == 2);
      arguments.emplace_back("--dry-run");
      const Ended dry = run(arguments);
      CHECK(dry.status == 2);
      CHECK(dry.errors == real.errors);
      CHECK_FALSE(dry.loaded);
    }
    CHECK(run({"-", "--dry-run", "-o", out, "--manifest", out + "/m"}).status ==
          0);
    CHECK_FALSE(fs::exists(out));
    CHECK(run({"a.wav", "-o", out, "--manifest", out + "/m"}).status == 0);
    CHECK(fs::exists(out + "/m"));
  }

  TEST_CASE("a model that cannot be loaded ends with 2 and makes no folder") {
    const diarize::test::TemporaryFolder folder;
    const std::string out = folder.path() / "out";
    const Ended ended = run({"a.wav", "--model", "none", "-o", out});
    CHECK(ended.status == 2);
    CHECK(ended.errors == "diarize: no model\n");
    CHECK_FALSE(fs::exists(out));
  }

  TEST_CASE("help groups the options and shows their defaults") {
    const Ended ended = run({"--help"});
    CHECK(ended.status == 0);
    CHECK_FALSE(ended.loaded);
    for (const char* part : {"Speakers:", "--num-speakers", "[rttm]",
                             "=balanced", "--config", "diarize score"}) {
      CAPTURE(part);
      CHECK(ended.output.find(part) != std::string::npos);
    }
  }

  TEST_CASE("the version names the libraries") {
    const Ended ended = run({"--version"});
    CHECK(ended.status == 0);
    CHECK(ended.output.starts_with("diarize "));
    CHECK(ended.output.find("LibTorch ") != std::string::npos);
    CHECK(ended.output.find("libsndfile ") != std::string::npos);
    CHECK(ended.output.find("decoder processes") == std::string::npos);
  }

  TEST_CASE("the version in many words says what decoders may do") {
    for (const char* verbose : {"-v", "--verbose"}) {
      const Ended ended = run({"--version", verbose});
      CHECK(ended.status == 0);
      CHECK(ended.output.find("\ndecoder processes: seccomp (libseccomp 2") !=
            std::string::npos);
      CHECK(ended.output.find("no new privileges, no network, no file") !=
            std::string::npos);
    }
  }

  TEST_CASE("variables reach the options") {
    CHECK(run({"a.wav"}, {{"DIARIZE_NUM_SPEAKERS", "0"}}).status == 2);
    const Ended ended = run({"a.wav"}, {{"DIARIZE_MIN_SPEAKERS", "2"}});
    CHECK(ended.status == 0);
    CHECK(ended.said("warning: 1 speaker found where 2 were asked for"));
  }

  TEST_CASE("files with whole outputs are skipped without loading a model") {
    const diarize::test::TemporaryFolder folder;
    const std::string out = folder.path() / "out";
    const std::vector<std::string> call{
        "a.wav", "b.wav", "-o", out, "-f", "rttm,json", "--skip-existing"};
    CHECK(run(call).said("2 done, 0 skipped"));
    const Ended again = run(call);
    CHECK(again.status == 0);
    CHECK_FALSE(again.loaded);
    CHECK(again.said("a.wav: skipped"));
    CHECK(again.said("0 done, 2 skipped"));

    folder.write("out/a.json", "{\"half\":");
    fs::remove(folder.path() / "out/b.rttm");
    CHECK(run(call).said("2 done, 0 skipped"));
  }

  TEST_CASE("the last of skip existing and overwrite counts") {
    const diarize::test::TemporaryFolder folder;
    const std::string out = folder.path() / "out";
    CHECK(run({"a.wav", "-o", out}).said("1 done"));
    CHECK(run({"a.wav", "-o", out, "--overwrite"},
              {{"DIARIZE_SKIP_EXISTING", "1"}})
              .said("1 done"));
    CHECK(run({"a.wav", "-o", out}, {{"DIARIZE_SKIP_EXISTING", "1"}})
              .said("1 skipped"));
  }

  TEST_CASE("fail fast stops at the first failure") {
    const Ended ended = run({"bad.wav", "b.wav", "c.wav", "d.wav", "e.wav",
                             "-t", "1", "--fail-fast"});
    CHECK(ended.status == 1);
    CHECK(ended.said("1 failed"));
  }

  TEST_CASE("the manifest gets a line for each file at its end") {
    const diarize::test::TemporaryFolder folder;
    const std::string manifest = folder.write("m.jsonl", "{\"old\":1}\n");
    CHECK(run({"a.wav", "bad.wav", "-o", folder.path() / "out", "--manifest",
               manifest})
              .status == 1);
    std::istringstream lines(diarize::test::read_bytes(manifest));
    std::vector<nlohmann::json> objects;
    for (std::string line; std::getline(lines, line);) {
      objects.push_back(nlohmann::json::parse(line));
    }
    REQUIRE(objects.size() == 3);
    CHECK(objects[1]["input"] == "a.wav");
    CHECK(objects[1]["status"] == "done");
    CHECK(objects[1]["speakers"] == 1);
    CHECK(objects[1]["model"] == "stand-in");
    CHECK(objects[1]["outputs"].size() == 1);
    CHECK(objects[2]["status"] == "failed");
    CHECK(objects[2]["reason"] == "bad.wav: not audio");
    CHECK(objects[2]["outputs"].empty());
  }

  TEST_CASE("a manifest that cannot be written stops before the batch") {
    const Ended ended = run({"a.wav", "--manifest", "/no/such/folder/m"});
    CHECK(ended.status == 2);
    CHECK(ended.said("--manifest: /no/such/folder/m cannot be written"));
  }

  TEST_CASE("messages can be JSON") {
    const Ended ended = run({"a.wav", "bad.wav", "--log-format", "json"});
    std::istringstream lines(ended.errors);
    std::map<std::string, int> levels;
    for (std::string line; std::getline(lines, line);) {
      ++levels[nlohmann::json::parse(line)["level"]];
    }
    CHECK(levels["error"] == 1);
    CHECK(levels["info"] == 3);
  }

  TEST_CASE("a dry run names the outputs and makes none") {
    const diarize::test::TemporaryFolder folder;
    const std::string out = folder.path() / "out";
    const Ended ended = run({"-", "/no/such.wav", "-o", out, "--dry-run"});
    CHECK(ended.status == 1);
    CHECK_FALSE(ended.loaded);
    CHECK(ended.said("standard input, would be written to " + out +
                     "/stdin.rttm"));
    CHECK(ended.said("/no/such.wav: "));
    CHECK_FALSE(fs::exists(out));
  }

  TEST_CASE("quiet leaves results alone") {
    const Ended ended = run({"-q", "a.wav"});
    CHECK(ended.output == "SPEAKER a" + kLine);
    CHECK(ended.errors.empty());
  }

  TEST_CASE("models lists what DIARIZE_MODEL names without loading it") {
    const diarize::test::TemporaryFolder folder;
    folder.write("config.yaml", "pipeline: {name: other}\n");
    const Ended ended =
        run({"models"}, {{"DIARIZE_MODEL", folder.path().string()}});
    CHECK(ended.status == 0);
    CHECK_FALSE(ended.loaded);
    CHECK(ended.errors.empty());
    CHECK(ended.output.starts_with("not usable"));
    CHECK(ended.output.find("'other' is not known") != std::string::npos);
  }

  TEST_CASE("models ends with 1 or 2 where something is wrong") {
    CHECK(run({"models", "check", "/no/such"}).status == 1);
    const Ended info = run({"models", "info", "/no/such"});
    CHECK(info.status == 2);
    CHECK(info.errors ==
          "diarize: /no/such/config.yaml: there is no such file\n");
    CHECK(run({"models", "info"}).status == 2);
    CHECK(run({"models", "--help"}).status == 0);
  }
}
