#include "tests/e2e/program.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

using diarize::test::has_default_model;
using diarize::test::ProgramRun;
using diarize::test::read_bytes;
using diarize::test::run_diarize;
using diarize::test::shared_data;
using diarize::test::TemporaryFolder;
using diarize::test::wav_bytes;

namespace {

namespace fs = std::filesystem;

// Half a minute, the end of the file; before it is its header.
constexpr std::size_t kSampleBytes = 960'000;

// A real conversation of two, 30 s, so many times in a row.
std::optional<std::string> repeated_sample(int times) {
  if (!has_default_model()) return std::nullopt;
  const auto path = shared_data("data/conversations/pyannote_sample.wav");
  if (!path) return std::nullopt;
  const std::string file = read_bytes(*path);
  const std::string samples = file.substr(file.size() - kSampleBytes);
  const auto num_samples = static_cast<std::size_t>(times) * samples.size() / 2;
  std::string bytes = wav_bytes(std::vector<float>(num_samples));
  const std::size_t begin = bytes.size() - 2 * num_samples;
  for (std::size_t at = begin; at < bytes.size(); at += samples.size()) {
    bytes.replace(at, samples.size(), samples);
  }
  return bytes;
}

double peak_of(const std::vector<std::string>& arguments) {
  const ProgramRun run = run_diarize(arguments);
  CAPTURE(run.errors);
  REQUIRE(run.status == 0);
  return run.peak_megabytes;
}

}  // namespace

TEST_SUITE("memory of the program") {
  TEST_CASE("an hour takes little more than ten minutes") {
    const auto short_file = repeated_sample(20);
    if (!short_file) return;
    const TemporaryFolder folder;
    const fs::path ten = folder.write("ten.wav", *short_file);
    const fs::path sixty = folder.write("sixty.wav", *repeated_sample(120));
    CHECK(peak_of({sixty}) <= 1.3 * peak_of({ten}));
  }

  TEST_CASE("many files take little more than some") {
    const auto sample = repeated_sample(1);
    if (!sample) return;
    const TemporaryFolder folder;
    const fs::path file = folder.write("a.wav", sample->substr(0, 96'044));
    std::vector<std::string> some{"-o", folder.path() / "out"};
    std::vector<std::string> many = some;
    for (int i = 0; i < 600; ++i) {
      const fs::path name = folder.path() / (std::to_string(1000 + i) + ".wav");
      fs::create_symlink(file, name);
      if (i < 60) some.push_back(name);
      many.push_back(name);
    }
    CHECK(peak_of(many) <= 1.2 * peak_of(some));
  }

  TEST_CASE("a high rate and many channels take no more") {
    const auto mono = repeated_sample(4);
    if (!mono) return;
    const TemporaryFolder folder;
    const fs::path low = folder.write("low.wav", *mono);
    // Six channels of 96 kHz: every sample 36 times.
    const std::string samples = mono->substr(mono->size() - 4 * kSampleBytes);
    std::vector<float> none(36 * samples.size() / 2);
    std::string bytes = wav_bytes(none, 6);
    std::size_t at = bytes.size() - 2 * none.size();
    for (std::size_t i = 0; i < samples.size(); i += 2) {
      for (int copy = 0; copy < 36; ++copy, at += 2) {
        bytes.replace(at, 2, samples, i, 2);
      }
    }
    bytes.replace(24, 4, std::string("\x00\x77\x01\x00", 4));  // 96 kHz
    const fs::path high = folder.write("high.wav", bytes);
    CHECK(peak_of({high}) <= 1.1 * peak_of({low}));
  }
}
