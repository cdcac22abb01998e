#include "cli/batch.h"

#include "core/error.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using diarize::BatchSummary;
using diarize::FileOutcome;
using diarize::Job;
using diarize::run_batch;

namespace {

std::vector<Job> jobs_named(const std::vector<std::string>& names) {
  std::vector<Job> jobs;
  for (const std::string& name : names) jobs.push_back({name, name, name});
  return jobs;
}

FileOutcome done(double seconds) {
  FileOutcome outcome;
  outcome.seconds = seconds;
  return outcome;
}

}  // namespace

TEST_SUITE("batch") {
  TEST_CASE("outcomes are told in the order of the jobs") {
    const auto jobs = jobs_named({"a", "b", "c", "d"});
    std::string order;
    const BatchSummary summary = run_batch(
        jobs, {.num_parallel = 3},
        [&](const Job& job) {
          // The first is the slowest.
          if (job.input == "a") {
            std::this_thread::sleep_for(std::chrono::milliseconds(30));
          }
          return done(2);
        },
        [&](const Job& job, const FileOutcome&) { order += job.input; });
    CHECK(order == "abcd");
    CHECK(summary.num_done == 4);
    CHECK(summary.audio_seconds == 8);
  }

  TEST_CASE("a file that fails is named and the others go on") {
    const auto jobs = jobs_named({"a", "bad", "worse", "full", "c"});
    std::vector<std::string> failures;
    const BatchSummary summary = run_batch(
        jobs, {.num_parallel = 2},
        [](const Job& job) {
          if (job.input == "bad") throw diarize::InputError("no audio");
          if (job.input == "worse") throw std::logic_error("a defect");
          if (job.input == "full") throw std::bad_alloc();
          return done(1);
        },
        [&](const Job&, const FileOutcome& outcome) {
          if (outcome.failure) failures.push_back(*outcome.failure);
        });
    CHECK(failures == std::vector<std::string>{
                          "bad: no audio", "worse: a defect",
                          "full: there is not enough memory for this file"});
    CHECK(summary.num_done == 2);
    CHECK(summary.num_failed == 3);
    CHECK(summary.num_not_done == 0);
  }

  TEST_CASE("nothing is started after a fatal error") {
    const auto jobs = jobs_named({"a", "b", "c", "d", "e"});
    const BatchSummary summary = run_batch(
        jobs, {.num_parallel = 1},
        [](const Job& job) {
          if (job.input == "b") throw diarize::FatalError("the device is gone");
          return done(1);
        },
        [](const Job&, const FileOutcome&) {});
    CHECK(summary.num_done == 1);
    CHECK(summary.num_failed == 1);
    CHECK(summary.num_not_done == 3);
  }

  TEST_CASE("as many jobs as allowed run at once") {
    const auto jobs = jobs_named(std::vector<std::string>(12, "x"));
    std::atomic<int> running = 0;
    std::atomic<int> most = 0;
    const BatchSummary summary = run_batch(
        jobs, {.num_parallel = 4},
        [&](const Job&) {
          const int now = ++running;
          for (int seen = most; now > seen;) {
            if (most.compare_exchange_weak(seen, now)) break;
          }
          std::this_thread::sleep_for(std::chrono::milliseconds(10));
          --running;
          return done(1);
        },
        [](const Job&, const FileOutcome&) {});
    CHECK(summary.num_done == 12);
    CHECK(most > 1);
    CHECK(most <= 4);
  }

  TEST_CASE("fail fast starts nothing after a failure") {
    const auto jobs = jobs_named({"a", "bad", "c", "d"});
    const BatchSummary summary = run_batch(
        jobs, {.num_parallel = 1, .fail_fast = true},
        [](const Job& job) {
          if (job.input == "bad") throw diarize::InputError("no audio");
          return done(1);
        },
        [](const Job&, const FileOutcome&) {});
    CHECK(summary.num_done == 1);
    CHECK(summary.num_failed == 1);
    CHECK(summary.num_not_done == 2);
  }

  TEST_CASE("an interrupted batch keeps what is done and gives up the rest") {
    const auto jobs = jobs_named({"a", "b", "c"});
    bool interrupted = false;
    const BatchSummary summary = run_batch(
        jobs,
        {.num_parallel = 1, .is_interrupted = [&] { return interrupted; }},
        [&](const Job& job) {
          if (job.input == "b") {
            interrupted = true;
            throw diarize::Interrupted();
          }
          return done(1);
        },
        [](const Job&, const FileOutcome&) {});
    CHECK(summary.num_done == 1);
    CHECK(summary.num_failed == 0);
    CHECK(summary.num_not_done == 2);
  }

  TEST_CASE("no jobs end at once") {
    const BatchSummary summary = run_batch(
        {}, {}, [](const Job&) { return done(1); },
        [](const Job&, const FileOutcome&) {});
    CHECK(summary.num_done == 0);
  }
}
