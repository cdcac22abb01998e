#include "tests/e2e/program.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

using diarize::test::has_default_model;
using diarize::test::ProgramRun;
using diarize::test::read_bytes;
using diarize::test::rttm_difference;
using diarize::test::run_diarize;
using diarize::test::shared_data;
using diarize::test::TemporaryFolder;

namespace {

namespace fs = std::filesystem;

// One output frame, and a millisecond for rounding: what a tie between two
// classes of the segmentation may move.
constexpr double kFrameTolerance = 0.018;

// The RTTMs of a folder by name.
std::vector<fs::path> rttm_files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".rttm") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// The recording of an RTTM, somewhere below `folder`.
std::string recording_of(const fs::path& rttm, const fs::path& folder) {
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string suffix = entry.path().extension();
    if (entry.path().stem() == rttm.stem() &&
        (suffix == ".wav" || suffix == ".flac" || suffix == ".opus")) {
      return entry.path();
    }
  }
  return {};
}

// Diarizes every recording that has an RTTM in `expected`, all in one call,
// and compares.
void check_expected(const std::string& name,
                    const std::vector<std::string>& flags) {
  const auto expected = shared_data("goldens/default/expected/" + name);
  const auto recordings = shared_data("data/conversations");
  if (!expected || !recordings || !has_default_model()) return;
  const TemporaryFolder out;
  std::vector<std::string> arguments{"-o", out.path()};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  const std::vector<fs::path> rttms = rttm_files(*expected);
  REQUIRE_FALSE(rttms.empty());
  for (const fs::path& rttm : rttms) {
    arguments.push_back(recording_of(rttm, *recordings));
  }
  const ProgramRun run = run_diarize(arguments);
  CAPTURE(run.errors);
  REQUIRE(run.status == 0);
  for (const fs::path& rttm : rttms) {
    CAPTURE(rttm.string());
    CHECK(rttm_difference(read_bytes(out.path() / rttm.filename()),
                          read_bytes(rttm), kFrameTolerance) == "");
  }
}

// The error of all files in the last line of the table, in per cent.
double pooled_error(const std::string& table) {
  const std::size_t end = table.find_last_not_of('\n');
  const std::size_t start = table.rfind('\n', end) + 1;
  const std::string line = table.substr(start, end + 1 - start);
  const std::size_t number = line.find_first_of("0123456789");
  REQUIRE(number != std::string::npos);
  return std::stod(line.substr(number));
}

}  // namespace

TEST_SUITE("expected") {
  TEST_CASE("the preset balanced gives the turns of the reference program") {
    check_expected("balanced", {});
  }

  TEST_CASE("the preset fast gives the turns of the reference program") {
    check_expected("fast", {"--preset", "fast"});
  }

  TEST_CASE("a step of a second gives the turns of the reference program") {
    check_expected("step_1.0", {"--step", "1.0"});
  }

  TEST_CASE("the error on real conversations is that of the specification") {
    const auto recordings = shared_data("data/conversations");
    if (!recordings || !has_default_model()) return;
    const TemporaryFolder out;
    const ProgramRun run =
        run_diarize({recordings->string(), "-q", "-o", out.path()});
    CAPTURE(run.errors);
    REQUIRE(run.status == 0);
    std::vector<std::string> score{"score", "--uem", *recordings / "all.uem",
                                   "--hyp"};
    for (const fs::path& rttm : rttm_files(out.path())) score.push_back(rttm);
    score.push_back("--ref");
    for (const fs::path& rttm : rttm_files(out.path())) {
      score.push_back(*recordings / rttm.filename());
    }
    const ProgramRun scored = run_diarize(score);
    CAPTURE(scored.output);
    CAPTURE(scored.errors);
    REQUIRE(scored.status == 0);
    // 15.03 % is what the reference program reaches.
    CHECK(pooled_error(scored.output) <= 15.33);
  }
}
