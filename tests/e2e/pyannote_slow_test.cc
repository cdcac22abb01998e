#include "tests/e2e/program.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

using diarize::test::checkout_data;
using diarize::test::largest_boundary_difference;
using diarize::test::ProgramRun;
using diarize::test::read_bytes;
using diarize::test::rttm_difference;
using diarize::test::run_diarize;
using diarize::test::shared_data;
using diarize::test::TemporaryFolder;

namespace {

// One output frame, and a millisecond for rounding: what a tie between two
// classes of the segmentation may move.
constexpr double kFrameTolerance = 0.018;

// All conversations with goldens.
const std::vector<std::string> kConversations = {
    "ami_EN2001a.wav",    "ami_EN2001d.flac",
    "ami_EN2002a.wav",    "ami_EN2003a.wav",
    "ami_EN2005a.wav",    "ami_EN2006b.wav",
    "ami_ES2003a.wav",    "aws_call40_stereo_8k.flac",
    "falcon_test.wav",    "paa_diarizationExample.wav",
    "pyannote_sample.wav"};

// Those with goldens for requested numbers of speakers.
const std::vector<std::string> kWithRequests = {"ami_EN2002a.wav",
                                                "pyannote_sample.wav"};

// Runs a layout with synthetic weights over recordings and compares the turns
// of each with those of pyannote.audio from the same weights.
void check_layout(const std::string& layout,
                  const std::vector<std::string>& recordings,
                  const std::vector<std::string>& flags,
                  const std::string& expected_name) {
  const auto model = checkout_data(".deps/synthetic/" + layout);
  const auto goldens = shared_data("goldens/pyannote_synthetic/" + layout);
  const auto audio = shared_data("data/conversations");
  if (!model || !goldens || !audio) return;
  const TemporaryFolder out;
  std::vector<std::string> arguments{"--model", *model, "-o", out.path()};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  for (const std::string& name : recordings) {
    arguments.push_back(*audio / name);
  }
  const ProgramRun run = run_diarize(arguments);
  CAPTURE(run.errors);
  REQUIRE(run.status == 0);
  double largest = 0.0;
  for (const std::string& name : recordings) {
    const std::filesystem::path stem = std::filesystem::path(name).stem();
    const std::string found =
        read_bytes(out.path() / (stem.string() + ".rttm"));
    const std::string expected = read_bytes(*goldens / stem / expected_name);
    CHECK(rttm_difference(found, expected, kFrameTolerance) == "");
    largest = std::max(largest, largest_boundary_difference(found, expected));
  }
  MESSAGE(layout << " " << expected_name
                 << ": largest difference of a boundary " << largest << " s");
}

void check_requests(const std::string& layout) {
  check_layout(layout, kWithRequests, {"--num-speakers", "2"},
               "num2_turns.rttm");
  check_layout(layout, kWithRequests, {"--num-speakers", "3"},
               "num3_turns.rttm");
  check_layout(layout, kWithRequests, {"--min-speakers", "3"},
               "min3_turns.rttm");
  check_layout(layout, kWithRequests, {"--max-speakers", "1"},
               "max1_turns.rttm");
  check_layout(layout, kWithRequests,
               {"--min-speakers", "2", "--max-speakers", "3", "--exclusive"},
               "min2max3_exclusive.rttm");
}

}  // namespace

TEST_SUITE("pyannote pipelines on all conversations") {
  TEST_CASE("community-1 gives the turns of pyannote.audio everywhere") {
    check_layout("community1", kConversations, {}, "turns.rttm");
  }

  TEST_CASE("3.1 gives the exclusive turns of pyannote.audio everywhere") {
    check_layout("v31", kConversations, {"--exclusive"}, "exclusive.rttm");
  }

  TEST_CASE("community-1 obeys requested numbers as pyannote.audio does") {
    check_requests("community1");
  }

  TEST_CASE("3.1 obeys requested numbers as pyannote.audio does") {
    check_requests("v31");
  }
}
