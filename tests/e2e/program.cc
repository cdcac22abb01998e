#include "tests/e2e/program.h"

#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <thread>

namespace diarize::test {
namespace {

namespace fs = std::filesystem;

// Gives the child `path` as one of its three streams.
void redirect(const fs::path& path, int flags, int stream) {
  const int file = ::open(path.c_str(), flags, 0600);
  if (file < 0 || ::dup2(file, stream) < 0) std::_Exit(126);
}

[[noreturn]] void become_program(const std::vector<std::string>& arguments,
                                 const ProgramOptions& options,
                                 const fs::path& output,
                                 const fs::path& errors) {
  redirect(options.standard_input, O_RDONLY, STDIN_FILENO);
  redirect(output, O_WRONLY | O_CREAT, STDOUT_FILENO);
  redirect(errors, O_WRONLY | O_CREAT, STDERR_FILENO);
  for (const auto& [name, value] : options.variables) {
    ::setenv(name.c_str(), value.c_str(), 1);
  }
  if (options.max_file_bytes > 0) {
    const rlimit limit{options.max_file_bytes, options.max_file_bytes};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) std::_Exit(126);
  }
  if (::chdir(options.working_directory.c_str()) != 0) std::_Exit(126);
  std::vector<std::string> words{DIARIZE_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::execv(DIARIZE_PROGRAM, pointers.data());
  std::_Exit(127);
}

bool has_ended(pid_t child) {
  siginfo_t ended{};
  return ::waitid(P_PID, static_cast<id_t>(child), &ended,
                  WEXITED | WNOHANG | WNOWAIT) != 0 ||
         ended.si_pid != 0;
}

// Sends the signal once its file is there, and does what is to be done
// meanwhile, until the child ends.
void accompany(pid_t child, const ProgramOptions& options) {
  bool is_sent = options.signal == 0;
  while (!has_ended(child) && (!is_sent || options.meanwhile)) {
    if (!is_sent && fs::exists(options.signal_after)) {
      ::kill(child, options.signal);
      is_sent = true;
    }
    if (options.meanwhile) options.meanwhile(child);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

// Waits for the end.
void note_end(pid_t child, ProgramRun& run) {
  int status = 0;
  rusage usage{};
  if (::wait4(child, &status, 0, &usage) != child) return;
  run.status =
      WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  run.peak_megabytes = static_cast<double>(usage.ru_maxrss) / 1024;
}

// The lowest `num_bytes` bytes of a number, least significant first.
std::string little_endian(std::uint32_t value, int num_bytes) {
  std::string bytes;
  for (int i = 0; i < num_bytes; ++i) {
    bytes += static_cast<char>(value >> (8 * i) & 0xff);
  }
  return bytes;
}

}  // namespace

ProgramRun run_diarize(const std::vector<std::string>& arguments,
                       const ProgramOptions& options) {
  ProgramOptions complete = options;
  complete.variables.emplace("DIARIZE_MODEL",
                             DIARIZE_SOURCE_DIR "/models/default");
  const TemporaryFolder folder;
  const fs::path output = folder.path() / "output";
  const fs::path errors = folder.path() / "errors";
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) become_program(arguments, complete, output, errors);
  accompany(child, complete);
  ProgramRun run;
  note_end(child, run);
  run.output = read_bytes(output);
  run.errors = read_bytes(errors);
  return run;
}

bool has_default_model() {
  return checkout_data("models/default/config.yaml").has_value();
}

std::string wav_bytes(const std::vector<float>& samples,
                      std::uint32_t num_channels) {
  constexpr std::uint32_t kRate = 16000;
  const auto num_bytes = static_cast<std::uint32_t>(2 * samples.size());
  std::string bytes = "RIFF" + little_endian(36 + num_bytes, 4) + "WAVEfmt ";
  bytes += little_endian(16, 4) + little_endian(1, 2);
  bytes += little_endian(num_channels, 2) + little_endian(kRate, 4);
  bytes += little_endian(2 * kRate * num_channels, 4);
  bytes += little_endian(2 * num_channels, 2) + little_endian(16, 2);
  bytes += "data" + little_endian(num_bytes, 4);
  for (const float sample : samples) {
    const auto value = static_cast<std::int32_t>(std::lrint(sample * 32767));
    bytes += little_endian(static_cast<std::uint32_t>(value), 2);
  }
  return bytes;
}

std::vector<RttmRow> rttm_rows(const std::string& text) {
  std::vector<RttmRow> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream columns(line);
    std::string ignored;
    RttmRow row;
    double duration = 0;
    columns >> ignored >> row.file_id >> ignored >> row.onset >> duration >>
        ignored >> ignored >> row.speaker;
    row.end = row.onset + duration;
    rows.push_back(row);
  }
  return rows;
}

std::string rttm_difference(const std::string& found,
                            const std::string& expected, double tolerance) {
  const std::vector<RttmRow> ours = rttm_rows(found);
  const std::vector<RttmRow> theirs = rttm_rows(expected);
  if (ours.size() != theirs.size()) {
    return std::to_string(ours.size()) + " rows, " +
           std::to_string(theirs.size()) + " expected";
  }
  for (std::size_t i = 0; i < ours.size(); ++i) {
    if (ours[i].file_id != theirs[i].file_id ||
        ours[i].speaker != theirs[i].speaker ||
        std::abs(ours[i].onset - theirs[i].onset) > tolerance ||
        std::abs(ours[i].end - theirs[i].end) > tolerance) {
      return "row " + std::to_string(i + 1) + " of " + theirs[i].file_id +
             " at " + std::to_string(theirs[i].onset) + " s";
    }
  }
  return {};
}

double largest_boundary_difference(const std::string& found,
                                   const std::string& expected) {
  const std::vector<RttmRow> ours = rttm_rows(found);
  const std::vector<RttmRow> theirs = rttm_rows(expected);
  double largest = 0.0;
  for (std::size_t i = 0; i < std::min(ours.size(), theirs.size()); ++i) {
    largest = std::max({largest, std::abs(ours[i].onset - theirs[i].onset),
                        std::abs(ours[i].end - theirs[i].end)});
  }
  return largest;
}

}  // namespace diarize::test
