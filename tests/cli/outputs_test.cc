#include "cli/outputs.h"

#include "core/error.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

using diarize::Diarization;
using diarize::FileDiarization;
using diarize::Job;
using diarize::OutputOptions;
using diarize::speaker_warnings;
using diarize::write_outputs;
using diarize::test::read_bytes;

namespace {

namespace fs = std::filesystem;

const Job kJob{"in/sub/a b.wav", "a_b", "sub/a b"};

FileDiarization one_turn() {
  Diarization result;
  result.turns = {{0.5, 1.25, 0}};
  result.exclusive_turns = {{0.5, 1.0, 0}};
  result.num_speakers = 1;
  result.seconds = 2;
  return {{result}};
}

// As many channels as numbers of speakers.
FileDiarization found(const std::vector<int>& num_speakers) {
  FileDiarization result;
  result.by_channel = num_speakers.size() > 1;
  for (const int num : num_speakers) {
    result.channels.emplace_back().num_speakers = num;
  }
  return result;
}

}  // namespace

TEST_SUITE("outputs") {
  TEST_CASE("each format has a file below the output folder") {
    const diarize::test::TemporaryFolder folder;
    const OutputOptions options{.output_dir = folder.path() / "new",
                                .formats = {"rttm", "json"}};
    CHECK(write_outputs(kJob, options, one_turn()).empty());
    CHECK(read_bytes(folder.path() / "new/sub/a b.rttm") ==
          "SPEAKER a_b 1 0.500 1.250 <NA> <NA> SPEAKER_00 <NA> <NA>\n");
    CHECK(read_bytes(folder.path() / "new/sub/a b.json")
              .starts_with("{\"file\":\"in/sub/a b.wav\""));
  }

  TEST_CASE("without an output folder the text is given back") {
    CHECK(write_outputs(kJob, {}, one_turn()) ==
          "SPEAKER a_b 1 0.500 1.250 <NA> <NA> SPEAKER_00 <NA> <NA>\n");
  }

  TEST_CASE("exclusive turns are written where they are asked for") {
    CHECK(write_outputs(kJob, {.exclusive = true}, one_turn()) ==
          "SPEAKER a_b 1 0.500 1.000 <NA> <NA> SPEAKER_00 <NA> <NA>\n");
  }

  TEST_CASE("nothing is written over an input or another output") {
    const diarize::test::TemporaryFolder folder;
    const std::string wav = folder.write("a.rttm", "audio");
    const Job job{wav, "a", "a"};
    diarize::Options options;
    options.output.output_dir = folder.path() / "out";
    CHECK_NOTHROW(diarize::refuse_overwriting({job}, options));
    options.batch.manifest = wav;
    CHECK_THROWS_AS(diarize::refuse_overwriting({job}, options),
                    diarize::FatalError);
    options.batch.manifest = folder.path() / "out/./a.rttm";
    CHECK_THROWS_AS(diarize::refuse_overwriting({job}, options),
                    diarize::FatalError);
    options.batch.manifest = folder.path() / "lines";
    options.batch.profile = folder.path() / "lines";
    CHECK_THROWS_AS(diarize::refuse_overwriting({job}, options),
                    diarize::FatalError);
    options.batch.profile = "true";
    options.output.output_dir = folder.path();
    CHECK_THROWS_AS(diarize::refuse_overwriting({job}, options),
                    diarize::FatalError);
  }

  TEST_CASE("a device may take the manifest and the profile") {
    diarize::Options options;
    options.batch.manifest = "/dev/null";
    options.batch.profile = "/dev/null";
    CHECK_NOTHROW(diarize::refuse_overwriting({kJob}, options));
  }

  TEST_CASE("silence makes an empty file") {
    const diarize::test::TemporaryFolder folder;
    const Job job{"s.wav", "s", "s"};
    CHECK(write_outputs(job, {.output_dir = folder.path()}, {}).empty());
    REQUIRE(fs::exists(folder.path() / "s.rttm"));
    CHECK(fs::file_size(folder.path() / "s.rttm") == 0);
  }

  TEST_CASE("a folder that cannot be made is fatal before the batch") {
    const diarize::test::TemporaryFolder folder;
    const std::string file = folder.write("file", "");
    CHECK_THROWS_AS(
        diarize::prepare_output_folders({kJob}, {.output_dir = file + "/out"}),
        diarize::FatalError);
  }

  TEST_CASE("a sub-folder that cannot be made is the file's error") {
    const diarize::test::TemporaryFolder folder;
    folder.write("sub", "a file where a folder should be");
    CHECK_THROWS_AS(static_cast<void>(write_outputs(
                        kJob, {.output_dir = folder.path()}, one_turn())),
                    diarize::InputError);
  }

  TEST_CASE("fewer speakers than asked for are a warning with both numbers") {
    REQUIRE(speaker_warnings({.num = 8}, found({2})).size() == 1);
    CHECK(speaker_warnings({.num = 8}, found({2}))[0] ==
          "2 speakers found where 8 were asked for by --num-speakers: there "
          "is not enough speech to tell more apart");
    CHECK(speaker_warnings({.min = 3}, found({1}))[0].starts_with(
        "1 speaker found where 3 were asked for by --min-speakers"));
    CHECK(speaker_warnings({.num = 2}, found({2})).empty());
    CHECK(speaker_warnings({.max = 2}, found({1})).empty());
    CHECK(speaker_warnings({}, found({0})).empty());
  }

  TEST_CASE("numbers of speakers are asked of each channel") {
    const auto warnings = speaker_warnings({.num = 2}, found({2, 1}));
    REQUIRE(warnings.size() == 1);
    CHECK(warnings[0].starts_with("channel 2: 1 speaker found where 2 were"));
  }
}
