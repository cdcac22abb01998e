#include "tests/e2e/program.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <csignal>
#include <filesystem>
#include <optional>
#include <string>

using diarize::test::has_default_model;
using diarize::test::ProgramRun;
using diarize::test::read_bytes;
using diarize::test::rttm_rows;
using diarize::test::run_diarize;
using diarize::test::shared_data;
using diarize::test::TemporaryFolder;

namespace {

namespace fs = std::filesystem;

// A real conversation of two, 30 s; none where it or the weights are absent.
std::optional<fs::path> sample() {
  if (!has_default_model()) return std::nullopt;
  return shared_data("data/conversations/pyannote_sample.wav");
}

}  // namespace

TEST_SUITE("batch of the program") {
  TEST_CASE("decoder processes do not change a byte") {
    const auto input = sample();
    if (!input) return;
    const ProgramRun inside = run_diarize({*input, "--decode-workers", "0"});
    const ProgramRun outside = run_diarize({*input, "--decode-workers", "2"});
    REQUIRE(inside.status == 0);
    REQUIRE(outside.status == 0);
    CHECK(inside.output == outside.output);
  }

  TEST_CASE("a limit of memory changes no byte or is refused with the least") {
    const auto input = sample();
    if (!input) return;
    const ProgramRun refused = run_diarize({*input, "--memory-limit", "1M"});
    CHECK(refused.status == 2);
    CHECK(refused.output.empty());
    const std::string before = "--memory-limit: 1M given, at least ";
    const std::size_t at = refused.errors.find(before);
    REQUIRE(at != std::string::npos);
    const std::string rest = refused.errors.substr(at + before.size());
    const std::string least = rest.substr(0, rest.find(' '));
    const ProgramRun with_least =
        run_diarize({*input, "--memory-limit", least, "-t", "2"});
    CHECK(with_least.status == 0);
    CHECK(with_least.output == run_diarize({*input}).output);
  }

  TEST_CASE("a part of a file keeps the times of the file") {
    const auto input = sample();
    if (!input) return;
    const ProgramRun run =
        run_diarize({*input, "--start", "10", "--duration", "12"});
    REQUIRE(run.status == 0);
    const auto rows = rttm_rows(run.output);
    REQUIRE_FALSE(rows.empty());
    for (const auto& row : rows) {
      CHECK(row.onset >= 10.0);
      CHECK(row.end <= 22.001);
    }
    CHECK(run.said(": 12.0 s, "));
  }

  TEST_CASE("a second call with the same outputs loads no model") {
    const auto input = sample();
    if (!input) return;
    const TemporaryFolder out;
    REQUIRE(run_diarize({*input, "-o", out.path()}).status == 0);
    const auto stamp = fs::last_write_time(out.path() / "pyannote_sample.rttm");
    const ProgramRun again =
        run_diarize({*input, "-o", out.path(), "--skip-existing"},
                    {.variables = {{"DIARIZE_MODEL", "/no/such/model"}}});
    CHECK(again.status == 0);
    CHECK(again.said("0 done, 1 skipped"));
    CHECK(fs::last_write_time(out.path() / "pyannote_sample.rttm") == stamp);
  }

  TEST_CASE("the manifest has levels and times of each file") {
    const auto input = sample();
    if (!input) return;
    const TemporaryFolder out;
    const fs::path manifest = out.path() / "m.jsonl";
    REQUIRE(run_diarize({*input, "-o", out.path(), "--manifest", manifest})
                .status == 0);
    const auto line = nlohmann::json::parse(read_bytes(manifest));
    CHECK(line["status"] == "done");
    CHECK(line["seconds"] == 30.0);
    CHECK(line["speakers"] == 2);
    CHECK(line["peak_dbfs"] <= 0.0);
    CHECK(line["rms_dbfs"] < line["peak_dbfs"]);
    for (const char* stage : {"decode", "resample", "features", "segmentation",
                              "embedding", "clustering"}) {
      CAPTURE(stage);
      CHECK(line["stage_seconds"][stage] > 0.0);
    }
    CHECK(line["stage_seconds"].size() == 9);
    CHECK(line["wall_seconds"] > 0.0);
    CHECK(line["outputs"][0] == (out.path() / "pyannote_sample.rttm").string());
  }

  TEST_CASE("the profile has a line for each stage") {
    const auto input = sample();
    if (!input) return;
    const TemporaryFolder out;
    const fs::path file = out.path() / "profile";
    const ProgramRun run = run_diarize({"--profile=" + file.string(), *input});
    REQUIRE(run.status == 0);
    CHECK(run_diarize({"--profile", *input}).said("\nembedding "));
    const std::string table = read_bytes(file);
    for (const char* stage :
         {"read ", "decode ", "resample ", "features ", "segmentation ",
          "embedding ", "clustering ", "reconstruction ", "write ",
          "wait for work ", "wait for engine "}) {
      CAPTURE(stage);
      std::string begin = "\n";
      begin += stage;
      const std::size_t row = table.find(begin);
      REQUIRE(row != std::string::npos);
      CHECK(std::stoi(table.substr(row + 17)) > 0);
    }
  }

  TEST_CASE("an interrupted batch keeps what is done and ends with 130") {
    const auto input = sample();
    if (!input) return;
    const TemporaryFolder folder;
    std::vector<std::string> arguments{"-t", "1", "-o", folder.path() / "out"};
    for (int i = 0; i < 200; ++i) {
      const fs::path copy = folder.path() / (std::to_string(1000 + i) + ".wav");
      fs::create_symlink(*input, copy);
      arguments.push_back(copy);
    }
    const fs::path first = folder.path() / "out/1000.rttm";
    const ProgramRun run =
        run_diarize(arguments, {.signal = SIGINT, .signal_after = first});
    CHECK(run.status == 130);
    CHECK(run.said(" not done"));
    std::size_t num_whole = 0;
    for (const auto& entry : fs::directory_iterator(folder.path() / "out")) {
      CHECK(entry.path().extension() == ".rttm");
      CHECK_FALSE(read_bytes(entry.path()).empty());
      ++num_whole;
    }
    CHECK(num_whole >= 1);
    CHECK(num_whole < 200);
  }
}
