#include "tests/e2e/processes.h"
#include "tests/e2e/program.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

using diarize::test::adopt_orphans;
using diarize::test::checkout_data;
using diarize::test::children_of;
using diarize::test::has_default_model;
using diarize::test::ProgramRun;
using diarize::test::read_bytes;
using diarize::test::run_diarize;
using diarize::test::shared_data;
using diarize::test::TemporaryFolder;
using diarize::test::wait_for_orphans;
using diarize::test::wav_bytes;

namespace {

namespace fs = std::filesystem;

// Two seconds of a real conversation; none where it or the weights are absent.
std::optional<std::string> short_wav() {
  if (!has_default_model()) return std::nullopt;
  auto sample = shared_data("data/conversations/pyannote_sample.wav");
  if (!sample) sample = checkout_data(".deps/sample/sample.wav");
  if (!sample) return std::nullopt;
  const std::string bytes = read_bytes(*sample);
  constexpr std::size_t kHeaderBytes = 44;
  constexpr std::size_t kFirst = 8 * 16000;
  std::vector<float> samples(2 * 16000);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    std::int16_t value = 0;
    std::memcpy(&value, bytes.data() + kHeaderBytes + 2 * (kFirst + i), 2);
    samples[i] = static_cast<float>(value) / 32768.0F;
  }
  return wav_bytes(samples);
}

// A folder `in` with many names of one file, and what is expected of each.
class Batch {
 public:
  Batch(const std::string& wav, int num_files) {
    const fs::path file = folder_.write("file", wav);
    fs::create_directory(in());
    for (int i = 0; i < num_files; ++i) {
      names_.push_back(std::to_string(1000 + i));
      fs::create_hard_link(file, in() / (names_.back() + ".wav"));
    }
    const ProgramRun run = run_diarize({in() / (names_[0] + ".wav")});
    REQUIRE(run.status == 0);
    REQUIRE_FALSE(run.output.empty());
    rttm_ = run.output;
  }

  [[nodiscard]] fs::path in() const { return folder_.path() / "in"; }
  [[nodiscard]] fs::path out() const { return folder_.path() / "out"; }
  [[nodiscard]] fs::path manifest() const { return folder_.path() / "m.jsonl"; }
  [[nodiscard]] fs::path output(const std::string& name) const {
    return out() / (name + ".rttm");
  }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

  [[nodiscard]] std::vector<std::string> arguments(
      const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all = {in(), "-o", out(), "--manifest",
                                    manifest()};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  // How many outputs are there, each of them as of an undisturbed run; nothing
  // else may be.
  [[nodiscard]] int num_whole() const {
    int num_found = 0;
    for (const auto& entry : fs::directory_iterator(out())) {
      CHECK(entry.path().extension() == ".rttm");
      CHECK(read_bytes(entry.path()) == expected(entry.path().stem()));
      ++num_found;
    }
    return num_found;
  }

  // Lines of the manifest with this status; each line has to be whole.
  [[nodiscard]] int num_listed(const std::string& status) const {
    const std::string text = read_bytes(manifest());
    CHECK((text.empty() || text.ends_with('\n')));
    int num_found = 0;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      const auto object = nlohmann::json::parse(line, nullptr, false);
      REQUIRE(object.is_object());
      if (object["status"] == status) ++num_found;
    }
    return num_found;
  }

 private:
  [[nodiscard]] std::string expected(const std::string& name) const {
    std::string text = rttm_;
    for (auto at = text.find(names_[0]); at != std::string::npos;
         at = text.find(names_[0], at + 1)) {
      text.replace(at, names_[0].size(), name);
    }
    return text;
  }

  TemporaryFolder folder_;
  std::vector<std::string> names_;
  std::string rttm_;  // of the first
};

}  // namespace

TEST_SUITE("disturbed program") {
  TEST_CASE("a run that was killed is completed by the next") {
    const auto wav = short_wav();
    if (!wav) return;
    adopt_orphans();
    const Batch batch(*wav, 60);
    const ProgramRun killed =
        run_diarize(batch.arguments(),
                    {.signal = SIGKILL, .signal_after = batch.output("1005")});
    CHECK(killed.status == 128 + SIGKILL);
    static_cast<void>(wait_for_orphans());
    const int num_listed = batch.num_listed("done");
    CHECK(num_listed < 60);
    // What a kill in the middle of writing would have left.
    const fs::path left = batch.out() / ".diarize-0123456789abcdef.tmp";
    REQUIRE(::close(::creat(left.c_str(), 0600)) == 0);
    const ProgramRun rest = run_diarize(batch.arguments({"--skip-existing"}));
    CHECK(rest.status == 0);
    CHECK(batch.num_whole() == 60);
    CHECK(batch.num_listed("skipped") >= num_listed);
    CHECK(batch.num_listed("skipped") >= 1);
    CHECK(batch.num_listed("done") - num_listed ==
          60 - batch.num_listed("skipped"));
    CHECK(wait_for_orphans() == 0);
  }

  TEST_CASE("killed decoders cost their files and no more") {
    const auto wav = short_wav();
    if (!wav) return;
    adopt_orphans();
    const Batch batch(*wav, 300);
    std::mt19937 random(5);
    int num_killed = 0;
    const ProgramRun run =
        run_diarize(batch.arguments(), {.meanwhile = [&](pid_t program) {
                      const auto decoders = children_of(program);
                      if (decoders.empty() || random() % 4 != 0) return;
                      ::kill(decoders[random() % decoders.size()], SIGKILL);
                      ++num_killed;
                    }});
    CHECK(num_killed > 0);
    const int num_failed = batch.num_listed("failed");
    CHECK(batch.num_whole() == 300 - num_failed);
    CHECK(batch.num_listed("done") == 300 - num_failed);
    CHECK(run.status == (num_failed > 0 ? 1 : 0));
    std::istringstream lines(run.errors);
    int num_named = 0;
    for (std::string line; std::getline(lines, line);) {
      if (line.ends_with("the decoder process was killed by signal 9 (Killed) "
                         "in the middle")) {
        ++num_named;
      }
    }
    CHECK(num_named == num_failed);
    CHECK(wait_for_orphans() == 0);
  }

  TEST_CASE("a decoder that hangs is given up after the time set") {
    const auto wav = short_wav();
    if (!wav) return;
    adopt_orphans();
    const Batch batch(*wav, 40);
    bool is_stopped = false;
    const ProgramRun run = run_diarize(
        batch.arguments({"--decode-workers", "1", "--decode-timeout", "5"}),
        {.meanwhile = [&](pid_t program) {
          const auto decoders = children_of(program);
          if (is_stopped || decoders.empty()) return;
          is_stopped = ::kill(decoders[0], SIGSTOP) == 0;
        }});
    CHECK(run.status == 1);
    CHECK(run.said("the decoder gave nothing for 5 s"));
    CHECK(batch.num_whole() == 40 - batch.num_listed("failed"));
    CHECK(wait_for_orphans() == 0);
  }

  TEST_CASE(
      "terminated once it keeps what is done and twice it stops at once") {
    const auto wav = short_wav();
    if (!wav) return;
    adopt_orphans();
    const Batch batch(*wav, 100);
    const ProgramRun once =
        run_diarize(batch.arguments(),
                    {.signal = SIGTERM, .signal_after = batch.output("1003")});
    CHECK(once.status == 143);
    CHECK(once.said(" not done"));
    const int num_done = batch.num_whole();
    CHECK(num_done >= 1);
    CHECK(num_done < 100);
    CHECK(wait_for_orphans() == 0);
    const ProgramRun twice = run_diarize(
        batch.arguments({"--skip-existing"}),
        {.signal = SIGINT,
         .signal_after = batch.output(std::to_string(1000 + num_done + 3)),
         .meanwhile = [&](pid_t program) {
           if (fs::exists(batch.output(std::to_string(1000 + num_done + 3)))) {
             ::kill(program, SIGINT);
           }
         }});
    CHECK(twice.status == 130);
    static_cast<void>(wait_for_orphans());
    CHECK(run_diarize(batch.arguments({"--skip-existing"})).status == 0);
    CHECK(batch.num_whole() == 100);
  }

  TEST_CASE(
      "waiting for a pipe that nobody writes ends with the first signal") {
    if (!has_default_model()) return;
    const TemporaryFolder folder;
    const fs::path pipe = folder.path() / "pipe.wav";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    for (const char* workers : {"0", "1"}) {
      CAPTURE(workers);
      int writer = -1;  // stays open, as if about to write
      const ProgramRun run = run_diarize(
          {pipe, "--decode-workers", workers},
          {.meanwhile = [&](pid_t program) {
            if (writer >= 0) return;
            // Cannot be opened before the program has.
            writer = ::open(pipe.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
            if (writer >= 0) ::kill(program, SIGTERM);
          }});
      ::close(writer);
      CHECK(run.status == 143);
      CHECK(run.said("pipe.wav: given up"));
    }
  }

  TEST_CASE("a full disk fails its files and leaves nothing") {
    const auto wav = short_wav();
    if (!wav) return;
    const Batch batch(*wav, 2);
    // Of JSON a file is longer; what is said on standard error is shorter.
    const ProgramRun run = run_diarize(
        {batch.in(), "-o", batch.out(), "-f", "json"}, {.max_file_bytes = 100});
    CAPTURE(run.errors);
    CHECK(run.status == 1);
    CHECK(fs::is_empty(batch.out()));
  }

  TEST_CASE("a file that vanishes before its turn fails alone") {
    const auto wav = short_wav();
    if (!wav) return;
    const Batch batch(*wav, 100);
    const ProgramRun run =
        run_diarize(batch.arguments({"-t", "1"}), {.meanwhile = [&](pid_t) {
                      if (fs::exists(batch.output("1000"))) {
                        fs::remove(batch.in() / "1099.wav");
                      }
                    }});
    CHECK(run.status == 1);
    CHECK(run.said("1099.wav: no such file"));
    CHECK(batch.num_whole() == 99);
  }

  TEST_CASE("a folder that takes no files fails each file") {
    const auto wav = short_wav();
    if (!wav) return;
    const Batch batch(*wav, 2);
    const ProgramRun run = run_diarize({batch.in(), "-o", "/proc/self"});
    CHECK(run.status == 1);
    CHECK(run.said("/proc/self/1000.rttm cannot be written"));
    CHECK(run.said("0 done, 0 skipped, 2 failed"));
  }
}
