#include "cli/profile.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using diarize::profile_table;
using diarize::Stage;
using diarize::StageSummary;
using diarize::StageTimes;

TEST_SUITE("profile") {
  TEST_CASE("percentiles are values that were measured") {
    std::vector<double> seconds;
    for (int i = 100; i > 0; --i) seconds.push_back(i);
    const StageSummary summary = diarize::summary_of(seconds);
    CHECK(summary.count == 100);
    CHECK(summary.total == 5050);
    CHECK(summary.mean == 50.5);
    CHECK(summary.p50 == 50);
    CHECK(summary.p95 == 95);
    CHECK(summary.max == 100);
  }

  TEST_CASE("one measurement is all of its percentiles") {
    const StageSummary summary = diarize::summary_of({2});
    CHECK(summary.p50 == 2);
    CHECK(summary.p95 == 2);
  }

  TEST_CASE("no measurements make zeros in every line") {
    CHECK(diarize::summary_of({}).count == 0);
    const std::string table = profile_table(StageTimes());
    CHECK(std::ranges::count(table, '\n') == 1 + diarize::kNumStages);
    CHECK(table.find("reconstruction          0      0.000") !=
          std::string::npos);
  }

  TEST_CASE("a measured stage has a line") {
    StageTimes times;
    times.add(Stage::kSegmentation, 0.25);
    times.add(Stage::kSegmentation, 0.75);
    const std::string table = profile_table(times);
    CHECK(table.find("segmentation            2      1.000   0.500000") !=
          std::string::npos);
  }
}
