#include "tests/e2e/program.h"

#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

using diarize::test::has_default_model;
using diarize::test::ProgramRun;
using diarize::test::read_bytes;
using diarize::test::rttm_rows;
using diarize::test::run_diarize;
using diarize::test::shared_data;
using diarize::test::TemporaryFolder;
using diarize::test::wav_bytes;

namespace {

namespace fs = std::filesystem;

std::string silence(double seconds) {
  return wav_bytes(
      std::vector<float>(static_cast<std::size_t>(seconds * 16000)));
}

// A real conversation of two, 30 s; none where it or the weights are absent.
std::optional<fs::path> sample() {
  if (!has_default_model()) return std::nullopt;
  return shared_data("data/conversations/pyannote_sample.wav");
}

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    names.insert(entry.path().filename());
  }
  return names;
}

}  // namespace

TEST_SUITE("program") {
  TEST_CASE("silence makes an empty RTTM and valid JSON") {
    if (!has_default_model()) return;
    const TemporaryFolder folder;
    const fs::path input = folder.write("s.wav", silence(3));
    const ProgramRun run =
        run_diarize({input, "-o", folder.path() / "out", "-f", "rttm,json"});
    CAPTURE(run.errors);
    REQUIRE(run.status == 0);
    CHECK(run.said("0 speakers"));
    CHECK(names_in(folder.path() / "out") ==
          std::set<std::string>{"s.json", "s.rttm"});
    CHECK(read_bytes(folder.path() / "out/s.rttm").empty());
    const auto json =
        nlohmann::json::parse(read_bytes(folder.path() / "out/s.json"));
    CHECK(json["turns"].empty());
    CHECK(json["seconds"] == 3.0);
  }

  TEST_CASE("bad files are named and the good ones done") {
    if (!has_default_model()) return;
    const TemporaryFolder folder;
    folder.write("good.wav", silence(1));
    folder.write("zero.wav", "");
    folder.write("text.wav", "not audio\n");
    const ProgramRun run = run_diarize(
        {"zero.wav", "good.wav", "text.wav", "gone.wav", "-o", "out"},
        {.working_directory = folder.path()});
    CHECK(run.status == 1);
    for (const char* name : {"zero.wav: ", "text.wav: ", "gone.wav: "}) {
      CAPTURE(name);
      CHECK(run.said("diarize: " + std::string(name)));
    }
    CHECK(run.said("1 done, 0 skipped, 3 failed"));
    CHECK(names_in(folder.path() / "out") ==
          std::set<std::string>{"good.rttm"});
  }

  TEST_CASE("threads and batches do not change a byte") {
    const auto input = sample();
    if (!input) return;
    const ProgramRun expected = run_diarize({*input, "-t", "1"});
    REQUIRE(expected.status == 0);
    REQUIRE_FALSE(expected.output.empty());
    const std::vector<std::vector<std::string>> others = {
        {"-t", "2"},
        {"-t", "4", "--batch-size", "1"},
        {"-t", "1", "--batch-size", "3"},
        {"-t", "3", "--batch-size", "64"}};
    for (std::vector<std::string> arguments : others) {
      arguments.push_back(*input);
      CHECK(run_diarize(arguments).output == expected.output);
    }
  }

  TEST_CASE("a file gives the same turns alone and among others") {
    const auto input = sample();
    if (!input) return;
    const TemporaryFolder folder;
    fs::copy_file(*input, folder.path() / "a.wav");
    fs::copy_file(*input, folder.path() / "z.wav");
    folder.write("m.wav", silence(12));
    const ProgramRun alone =
        run_diarize({"a.wav"}, {.working_directory = folder.path()});
    const ProgramRun all =
        run_diarize({".", "-t", "2"}, {.working_directory = folder.path()});
    REQUIRE(all.status == 0);
    CHECK(all.output.starts_with(alone.output));
    CHECK(rttm_rows(all.output).size() == 2 * rttm_rows(alone.output).size());
  }

  TEST_CASE("standard input is read and called stdin") {
    const auto input = sample();
    if (!input) return;
    const ProgramRun named = run_diarize({*input});
    const ProgramRun piped = run_diarize({"-"}, {.standard_input = *input});
    REQUIRE(piped.status == 0);
    const auto rows = rttm_rows(piped.output);
    REQUIRE(rows.size() == rttm_rows(named.output).size());
    CHECK(rows.front().file_id == "stdin");
  }

  TEST_CASE("exclusive turns do not overlap and have labels of the others") {
    const auto input = sample();
    if (!input) return;
    const ProgramRun run = run_diarize({*input, "--exclusive"});
    REQUIRE(run.status == 0);
    const auto rows = rttm_rows(run.output);
    REQUIRE(rows.size() > 1);
    for (std::size_t i = 1; i < rows.size(); ++i) {
      // Both ends are rounded to milliseconds.
      CHECK(rows[i].onset >= rows[i - 1].end - 0.002);
    }
  }

  TEST_CASE("the number of speakers is obeyed or a warning names both") {
    const auto input = sample();
    if (!input) return;
    for (const int asked : {1, 2, 3}) {
      const ProgramRun run =
          run_diarize({*input, "--num-speakers", std::to_string(asked)});
      std::set<std::string> speakers;
      for (const auto& row : rttm_rows(run.output)) {
        speakers.insert(row.speaker);
      }
      CHECK(speakers.size() == static_cast<std::size_t>(asked));
    }
    const TemporaryFolder folder;
    const ProgramRun few =
        run_diarize({folder.write("s.wav", silence(1)), "--num-speakers", "8"});
    CHECK(few.status == 0);
    CHECK(few.said("0 speakers found where 8 were asked for"));
  }

  TEST_CASE("a hostile or missing model ends with 2 and one line") {
    const TemporaryFolder folder;
    const fs::path input = folder.write("s.wav", silence(1));
    fs::create_directory(folder.path() / "model");
    for (const std::string& model :
         {folder.path().string() + "/model", std::string("/no/such/model")}) {
      const ProgramRun run =
          run_diarize({input, "--model", model, "-o", folder.path() / "out"});
      CAPTURE(run.errors);
      CHECK(run.status == 2);
      CHECK(run.said(model));
      CHECK(run.errors.find('\n') == run.errors.size() - 1);
      CHECK_FALSE(fs::exists(folder.path() / "out"));
    }
  }

  TEST_CASE("a device that is not there ends with 2 and names the others") {
    const ProgramRun run = run_diarize({"a.wav", "--device", "cuda:9"});
    CHECK(run.status == 2);
    CHECK(run.said("devices: cpu"));
  }

  TEST_CASE("an output folder that cannot be written fails each file") {
    if (!has_default_model()) return;
    const TemporaryFolder folder;
    const fs::path input = folder.write("s.wav", silence(1));
    fs::create_directories(folder.path() / "out/s.rttm");
    const ProgramRun run = run_diarize({input, "-o", folder.path() / "out"});
    CHECK(run.status == 1);
    CHECK(run.said("s.rttm cannot be written"));
    CHECK(names_in(folder.path() / "out") == std::set<std::string>{"s.rttm"});
  }

  TEST_CASE("a full disk behind standard output is an error") {
    if (!has_default_model() || !fs::exists("/dev/full")) return;
    const auto input = sample();
    if (!input) return;
    const TemporaryFolder folder;
    const std::string command = std::string(DIARIZE_PROGRAM) + " --model " +
                                DIARIZE_SOURCE_DIR "/models/default " +
                                input->string() + " > /dev/full 2>/dev/null";
    const int status = std::system(command.c_str());
    CHECK(WEXITSTATUS(status) == 1);
  }
}
