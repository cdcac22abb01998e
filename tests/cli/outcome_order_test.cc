#include "cli/outcome_order.h"

#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <vector>

using diarize::FileOutcome;
using diarize::Job;
using diarize::OutcomeOrder;

namespace {

const std::vector<Job> kJobs{
    {"a", "a", "a"}, {"b", "b", "b"}, {"c", "c", "c"}, {"d", "d", "d"}};

FileOutcome outcome_of(const std::string& output) {
  FileOutcome outcome;
  outcome.standard_output = output;
  return outcome;
}

}  // namespace

TEST_SUITE("outcome order") {
  TEST_CASE("an outcome is told once all before it are") {
    std::string told;
    const diarize::ReportFile report = [&](const Job& job,
                                           const FileOutcome& outcome) {
      told += job.input + outcome.standard_output;
    };
    OutcomeOrder order(kJobs, report);
    order.add(2, outcome_of("3"));
    CHECK(told.empty());
    order.add(0, outcome_of("1"));
    CHECK(told == "a1");
    CHECK(order.due() == 1);
    order.add(1, outcome_of("2"));
    CHECK(told == "a1b2c3");
  }

  TEST_CASE("the end tells what waits for jobs that never ran") {
    std::string told;
    const diarize::ReportFile report = [&](const Job& job, const FileOutcome&) {
      told += job.input;
    };
    OutcomeOrder order(kJobs, report);
    order.add(3, {});
    order.add(1, {});
    order.end();
    CHECK(told == "bd");
  }

  TEST_CASE("what waits is bounded") {
    const diarize::ReportFile report = [](const Job&, const FileOutcome&) {};
    OutcomeOrder order(kJobs, report, 5000);
    order.add(1, outcome_of(std::string(1000, 'x')));
    CHECK_FALSE(order.is_full());
    order.add(2, outcome_of(std::string(5000, 'x')));
    CHECK(order.is_full());
    {
      const std::jthread other([&] { order.add(0, {}); });
      order.wait_for(0);
    }
    CHECK(order.due() == 3);
    CHECK_FALSE(order.is_full());
  }
}
