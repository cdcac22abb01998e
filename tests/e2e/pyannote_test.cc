#include "tests/e2e/program.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

using diarize::test::checkout_data;
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

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Runs one of the two layouts with synthetic weights and compares its turns
// with those of pyannote.audio from the same weights.
void check_layout(const std::string& layout,
                  const std::vector<std::string>& flags,
                  const std::string& expected_name) {
  const auto model = checkout_data(".deps/synthetic/" + layout);
  const auto goldens =
      shared_data("goldens/pyannote_synthetic/" + layout + "/falcon_test");
  const auto audio = shared_data("data/conversations/falcon_test.wav");
  if (!model || !goldens || !audio) return;
  const TemporaryFolder out;
  std::vector<std::string> arguments{"--model", *model, "-o", out.path(),
                                     *audio};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  const ProgramRun run = run_diarize(arguments);
  CAPTURE(run.errors);
  REQUIRE(run.status == 0);
  CHECK(rttm_difference(read_bytes(out.path() / "falcon_test.rttm"),
                        read_bytes(*goldens / expected_name),
                        kFrameTolerance) == "");
}

}  // namespace

TEST_SUITE("pyannote pipelines") {
  TEST_CASE("community-1 gives the turns of pyannote.audio") {
    check_layout("community1", {}, "turns.rttm");
  }

  TEST_CASE("community-1 gives the exclusive turns of pyannote.audio") {
    check_layout("community1", {"--exclusive"}, "exclusive.rttm");
  }

  TEST_CASE("3.1 gives the turns of pyannote.audio") {
    check_layout("v31", {}, "turns.rttm");
  }

  TEST_CASE("an option without a meaning for them is refused") {
    const auto model = checkout_data(".deps/synthetic/v31");
    if (!model) return;
    const ProgramRun run = run_diarize(
        {"--model", *model, "--min-duration-on", "0.5", "absent.wav"});
    CHECK(run.status == 2);
    CHECK(run.said("--min-duration-on: pyannote's pipelines drop no short"));
  }

  TEST_CASE("models check loads all of a pipeline") {
    const auto model = checkout_data(".deps/synthetic/community1");
    if (!model) return;
    const ProgramRun run = run_diarize({"models", "check", *model});
    CHECK(run.status == 0);
    CHECK(contains(run.output, "ok     networks"));
    CHECK_FALSE(contains(run.output, "wrong"));
  }

  TEST_CASE("models check ends with 1 where a network lacks its tensors") {
    const auto model = checkout_data(".deps/synthetic/v31");
    if (!model) return;
    // A segmentation in the place of the embedding.
    const TemporaryFolder folder;
    const std::string segmentation = *model / "segmentation/pytorch_model.bin";
    folder.write("config.yaml",
                 "pipeline:\n"
                 "  name: pyannote.audio.pipelines.SpeakerDiarization\n"
                 "  params:\n"
                 "    clustering: AgglomerativeClustering\n"
                 "    segmentation: " +
                     segmentation +
                     "\n"
                     "    embedding: " +
                     segmentation + "\n");
    const ProgramRun run = run_diarize({"models", "check", folder.path()});
    CHECK(run.status == 1);
    CHECK(contains(run.output, "wrong  networks"));
  }

  TEST_CASE("a config that is not whole ends with 2") {
    const TemporaryFolder folder;
    folder.write("config.yaml", "pipeline: {name: diarize.Default}\n");
    const ProgramRun run =
        run_diarize({"--model", folder.path(), "absent.wav"});
    CHECK(run.status == 2);
    CHECK(run.said("config.yaml: segmentation.file: is missing"));
  }
}
