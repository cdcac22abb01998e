#include "tests/e2e/program.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using diarize::test::has_default_model;
using diarize::test::ProgramRun;
using diarize::test::read_bytes;
using diarize::test::rttm_difference;
using diarize::test::run_diarize;
using diarize::test::shared_data;
using diarize::test::TemporaryFolder;
using diarize::test::wav_bytes;

namespace {

namespace fs = std::filesystem;

// A real conversation of two on the left, its first half later on the right,
// as a WAV; none where it or the weights are absent.
std::optional<std::string> two_sides() {
  if (!has_default_model()) return std::nullopt;
  const auto path = shared_data("data/conversations/pyannote_sample.wav");
  if (!path) return std::nullopt;
  constexpr std::size_t kSampleBytes = 960'000;  // behind the header
  const std::string file = read_bytes(*path);
  const std::string mono = file.substr(file.size() - kSampleBytes);
  const std::size_t num_samples = mono.size() / 2;
  std::vector<float> stereo(2 * num_samples);
  for (std::size_t i = 0; i < num_samples; ++i) {
    const auto low = static_cast<std::uint8_t>(mono[2 * i]);
    const auto high = static_cast<std::int8_t>(mono[2 * i + 1]);
    const float sample = static_cast<float>(256 * high + low) / 32768;
    stereo[2 * i] = sample;
    if (i < num_samples / 2) stereo[2 * (i + num_samples / 2) + 1] = sample;
  }
  return wav_bytes(stereo, 2);
}

// The rows of one channel, told as a recording of one.
std::string rows_of(const std::string& text, const std::string& channel) {
  std::string rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(" " + channel + " ") == std::string::npos) continue;
    const std::size_t mark = line.find("CH" + channel + "_");
    REQUIRE(mark != std::string::npos);
    rows += line.erase(mark, 4) + "\n";
  }
  return rows;
}

}  // namespace

TEST_SUITE("channels of the program") {
  TEST_CASE("each channel is what it is alone") {
    const auto audio = two_sides();
    if (!audio) return;
    const TemporaryFolder folder;
    const fs::path input = folder.write("a.wav", *audio);
    const ProgramRun each = run_diarize({input, "--channel", "each"});
    CAPTURE(each.errors);
    REQUIRE(each.status == 0);
    for (const char* channel : {"1", "2"}) {
      CAPTURE(channel);
      const ProgramRun alone = run_diarize({input, "--channel", channel});
      REQUIRE_FALSE(alone.output.empty());
      CHECK(rttm_difference(rows_of(each.output, channel), alone.output, 0)
                .empty());
    }
    const ProgramRun inside =
        run_diarize({input, "--channel=each", "--decode-workers", "0"});
    CHECK(inside.output == each.output);
  }

  TEST_CASE("each channel of standard input is diarized") {
    const auto audio = two_sides();
    if (!audio) return;
    const TemporaryFolder folder;
    const fs::path input = folder.write("stdin.wav", *audio);
    const ProgramRun file = run_diarize({input, "--channel", "each"});
    const ProgramRun piped =
        run_diarize({"-", "--channel", "each"}, {.standard_input = input});
    CAPTURE(piped.errors);
    REQUIRE(piped.status == 0);
    CHECK(piped.output == file.output);
  }

  TEST_CASE("all formats hold the channels and speakers count in each") {
    const auto audio = two_sides();
    if (!audio) return;
    const TemporaryFolder folder;
    const fs::path input = folder.write("a.wav", *audio);
    const ProgramRun run = run_diarize(
        {input, "--channel", "each", "--num-speakers", "1", "-o", folder.path(),
         "-f", "rttm,json", "--manifest", folder.path() / "m"});
    REQUIRE(run.status == 0);
    CHECK(run.said(": 30.0 s, 2 speakers"));
    const auto json =
        nlohmann::json::parse(read_bytes(folder.path() / "a.json"));
    CHECK(json["speakers"] ==
          std::vector<std::string>{"CH1_SPEAKER_00", "CH2_SPEAKER_00"});
    std::set<int> channels;
    for (const auto& turn : json["turns"])
      channels.insert(turn["channel"].get<int>());
    CHECK(channels == std::set<int>{1, 2});
    CHECK(nlohmann::json::parse(read_bytes(folder.path() / "m"))["speakers"] ==
          2);
  }

  TEST_CASE("a file of one channel has channel 1") {
    const auto input = shared_data("data/conversations/pyannote_sample.wav");
    if (!input || !has_default_model()) return;
    const ProgramRun mix = run_diarize({*input});
    const ProgramRun each = run_diarize({*input, "--channel", "each"});
    REQUIRE(each.status == 0);
    CHECK(rttm_difference(rows_of(each.output, "1"), mix.output, 0).empty());
  }
}
