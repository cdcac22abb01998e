#include "cli/progress.h"

#include <doctest/doctest.h>

#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <vector>

using diarize::Console;
using diarize::FileOutcome;
using diarize::Job;
using diarize::Progress;

namespace {

const Job kJob{"x/a.wav", "a", "a"};

FileOutcome two_speakers() {
  FileOutcome outcome;
  outcome.seconds = 23.255;
  outcome.num_speakers = 2;
  return outcome;
}

// What is said about one file.
std::string said(const FileOutcome& outcome, const diarize::TalkOptions& talk,
                 bool terminal) {
  std::ostringstream errors;
  Console console(errors, talk, terminal);
  const std::vector<Job> jobs{kJob};
  Progress progress(console, jobs, [] { return std::nullopt; });
  progress.file_done(jobs[0], outcome);
  progress.file_ended(jobs[0], outcome);
  return errors.str();
}

}  // namespace

TEST_SUITE("progress") {
  TEST_CASE("the bar grows with the files where lengths are not known") {
    CHECK(diarize::progress_bar({1, 4, 3600, {}, 100}) ==
          "[#####...............] 1/4 files, 1.00 hours, 36.0 x real time");
    CHECK(diarize::progress_bar({}) ==
          "[####################] 0/0 files, 0.00 hours, 0.0 x real time");
  }

  TEST_CASE("the bar grows with the hours where lengths are known") {
    CHECK(diarize::progress_bar({1, 4, 3600, 10800, 100}) ==
          "[#####...............] 1/4 files, 1.00 of 4.00 hours, 36.0 x real "
          "time, 5:00 left");
    CHECK(diarize::progress_bar({0, 4, 1, 3600, 2}) ==
          "[....................] 0/4 files, 0.00 of 1.00 hours, 0.5 x real "
          "time, 2:00:00 left");
    CHECK(diarize::progress_bar({4, 4, 3600, 0, 100}) ==
          "[####################] 4/4 files, 1.00 of 1.00 hours, 36.0 x real "
          "time");
    CHECK(diarize::progress_bar({0, 4, 0, 7200, 1}) ==
          "[....................] 0/4 files, 0.00 of 2.00 hours, 0.0 x real "
          "time");
  }

  TEST_CASE("what is left follows what the files turn out to be") {
    std::ostringstream errors;
    Console console(errors, {.progress = "on"}, true);
    const std::vector<Job> jobs{kJob, kJob, kJob};
    const std::vector<double> seconds{3600, 3600, 1800};
    Progress progress(console, jobs,
                      [&] { return std::optional(std::span(seconds)); });
    CHECK(errors.str().find("0/3 files, 0.00 of 2.50 hours") !=
          std::string::npos);
    FileOutcome longer;
    longer.seconds = 5400;
    progress.advance(jobs[1], 900);
    progress.advance(jobs[0], 5300);
    progress.file_done(jobs[0], longer);
    // 1.5 hours, a quarter under way, and of the others what was planned.
    CHECK(errors.str().find("1/3 files, 1.75 of 3.00 hours") !=
          std::string::npos);
    progress.file_done(jobs[1], {});
    CHECK(errors.str().find("2/3 files, 1.50 of 2.00 hours") !=
          std::string::npos);
  }

  TEST_CASE("a finished file says its length and speakers") {
    CHECK(said(two_speakers(), {}, false) ==
          "diarize: x/a.wav: 23.3 s, 2 speakers\n");
    FileOutcome silence;
    silence.seconds = 20;
    CHECK(said(silence, {}, false) == "diarize: x/a.wav: 20.0 s, 0 speakers\n");
  }

  TEST_CASE("a terminal shows a bar instead of lines") {
    const std::string text = said(two_speakers(), {}, true);
    CHECK(text.find("[####################] 1/1 files") != std::string::npos);
    CHECK(text.find("2 speakers") == std::string::npos);
  }

  TEST_CASE("quiet says errors alone") {
    FileOutcome failed;
    failed.warnings = {"odd"};
    CHECK(said(failed, {.quiet = true}, true).empty());
    failed.failure = "x/a.wav: bad";
    CHECK(said(failed, {.quiet = true}, false) == "diarize: x/a.wav: bad\n");
  }

  TEST_CASE("warnings and details name the file") {
    FileOutcome outcome = two_speakers();
    outcome.warnings = {"ends early"};
    outcome.details = {"16000 Hz"};
    CHECK(said(outcome, {.verbose = true}, false) ==
          "diarize: x/a.wav: warning: ends early\n"
          "diarize: x/a.wav: 16000 Hz\n"
          "diarize: x/a.wav: 23.3 s, 2 speakers\n");
  }

  TEST_CASE("the last line counts what was done") {
    diarize::BatchSummary summary;
    summary.num_done = 2;
    summary.num_failed = 4;
    summary.audio_seconds = 36;
    CHECK(diarize::summary_line(summary, 2) ==
          "2 done, 0 skipped, 4 failed, 0.010 hours of audio, 18.0 x real "
          "time");
    summary.num_not_done = 1;
    CHECK(diarize::summary_line(summary, 2).find("1 not done") !=
          std::string::npos);
  }
}
