#include "cli/length_survey.h"

#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

using diarize::Job;
using diarize::LengthSurvey;

TEST_SUITE("length survey") {
  TEST_CASE("every job gets a length and none fails") {
    const diarize::test::TemporaryFolder folder;
    const std::string file = folder.write("a.mp3", std::string(32'000, 'x'));
    const std::vector<Job> jobs{
        {file, "a", "a"}, {"-", "stdin", "stdin"}, {"/no/such", "b", "b"}};
    LengthSurvey survey(jobs, {});
    survey.wait_for(std::chrono::minutes(1));
    const auto seconds = survey.seconds();
    REQUIRE(seconds.has_value());
    CHECK(std::vector<double>(seconds->begin(), seconds->end()) ==
          std::vector<double>{2.0, 0.0, 0.0});
  }

  TEST_CASE("only the part asked for counts") {
    const diarize::test::TemporaryFolder folder;
    const std::string file = folder.write("a.mp3", std::string(160'000, 'x'));
    const std::vector<Job> jobs{{file, "a", "a"}};
    const auto seconds_of = [&](double start, std::optional<double> duration) {
      LengthSurvey survey(jobs, {.start = start, .duration = duration});
      survey.wait_for(std::chrono::minutes(1));
      return survey.seconds().value().front();
    };
    CHECK(seconds_of(4, {}) == 6);
    CHECK(seconds_of(4, 3) == 3);
    CHECK(seconds_of(9, 3) == 1);
    CHECK(seconds_of(11, 3) == 0);
  }

  TEST_CASE("a survey that is not waited for can be given up") {
    const std::vector<Job> jobs(20'000, Job{"/no/such/file", "a", "a"});
    LengthSurvey survey(jobs, {});
    if (const auto seconds = survey.seconds()) {
      CHECK(seconds->size() == jobs.size());
    } else {
      CHECK(jobs.size() == 20'000);
    }
  }
}
