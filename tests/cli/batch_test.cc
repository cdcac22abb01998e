#include "cli/batch.h"

#include "core/error.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <new>
#include <optional>
#include <span>
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

  TEST_CASE("a job that takes long holds up no work") {
    const auto jobs = jobs_named({"long", "b", "c", "d", "e", "f"});
    std::promise<void> others_are_done;
    auto done_signal = others_are_done.get_future();
    std::atomic<int> num_others = 0;
    std::string order;
    const BatchSummary summary = run_batch(
        jobs, {.num_parallel = 2},
        [&](const Job& job) {
          if (job.input == "long") {
            done_signal.wait();
          } else if (++num_others == 5) {
            others_are_done.set_value();
          }
          return done(1);
        },
        [&](const Job& job, const FileOutcome&) { order += job.input; });
    CHECK(summary.num_done == 6);
    CHECK(order == "longbcdef");
  }

  TEST_CASE("a long file at the end is started early and told last") {
    const auto jobs = jobs_named({"a", "b", "c", "d", "long"});
    const std::vector<double> seconds{1, 1, 1, 1, 4};
    std::string started;
    std::string told;
    const BatchSummary summary = run_batch(
        jobs,
        {.num_parallel = 1,
         .lengths = [&] { return std::optional(std::span(seconds)); }},
        [&](const Job& job) {
          started += job.input;
          return done(1);
        },
        [&](const Job& job, const FileOutcome&) { told += job.input; });
    CHECK(summary.num_done == 5);
    CHECK(started == "longabcd");
    CHECK(told == "abcdlong");
  }

  TEST_CASE("more results than may wait hold up jobs and lose none") {
    const auto jobs = jobs_named(std::vector<std::string>(40, "x"));
    std::atomic<bool> is_first = true;
    std::size_t num_bytes = 0;
    const BatchSummary summary = run_batch(
        jobs, {.num_parallel = 3},
        [&](const Job&) {
          if (is_first.exchange(false)) {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
          }
          FileOutcome outcome = done(1);
          outcome.standard_output.assign(std::size_t{1} << 20, 'x');
          return outcome;
        },
        [&](const Job&, const FileOutcome& outcome) {
          num_bytes += outcome.standard_output.size();
        });
    CHECK(summary.num_done == 40);
    CHECK(num_bytes == std::size_t{40} << 20);
  }

  TEST_CASE("what is done when a batch stops is told though jobs are missing") {
    const auto jobs = jobs_named({"a", "b", "bad", "long"});
    const std::vector<double> seconds{1, 1, 2, 9};
    std::string told;
    const BatchSummary summary = run_batch(
        jobs,
        {.num_parallel = 1,
         .fail_fast = true,
         .lengths = [&] { return std::optional(std::span(seconds)); }},
        [](const Job& job) {
          if (job.input == "bad") throw diarize::InputError("no audio");
          return done(1);
        },
        [&](const Job& job, const FileOutcome&) { told += job.input; });
    CHECK(told == "badlong");
    CHECK(summary.num_done == 1);
    CHECK(summary.num_failed == 1);
    CHECK(summary.num_not_done == 2);
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
