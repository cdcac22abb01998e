#include "core/engine/stage_times.h"

#include <doctest/doctest.h>

#include <set>

TEST_SUITE("stage_times") {
  TEST_CASE("every stage has a name of its own") {
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < diarize::kNumStages; ++i) {
      names.insert(diarize::stage_name(static_cast<diarize::Stage>(i)));
    }
    CHECK(names.size() == diarize::kNumStages);
    CHECK(names.count("") == 0);
  }

  TEST_CASE("a timer adds one measurement to its stage") {
    diarize::StageTimes times;
    {
      const diarize::StageTimer timer(&times, diarize::Stage::kDecode);
    }
    times.add(diarize::Stage::kWrite, 2.5);
    CHECK(times.seconds(diarize::Stage::kDecode).size() == 1);
    CHECK(times.seconds(diarize::Stage::kWrite) == std::vector<double>{2.5});
    CHECK(times.seconds(diarize::Stage::kFeatures).empty());
  }

  TEST_CASE("times of another are added and summed by stage") {
    diarize::StageTimes file;
    file.add(diarize::Stage::kRead, 1.0);
    file.add(diarize::Stage::kRead, 2.0);
    diarize::StageTimes all;
    all.add(diarize::Stage::kRead, 0.5);
    all.add(file);
    CHECK(all.seconds(diarize::Stage::kRead) ==
          std::vector<double>{0.5, 1.0, 2.0});
    const auto totals = all.totals();
    CHECK(totals[static_cast<std::size_t>(diarize::Stage::kRead)] == 3.5);
    CHECK(totals[static_cast<std::size_t>(diarize::Stage::kWrite)] == 0.0);
  }

  TEST_CASE("a timer without a place to write does nothing") {
    const diarize::StageTimer timer(nullptr, diarize::Stage::kDecode);
    CHECK(true);
  }
}
