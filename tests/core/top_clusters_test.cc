#include "core/top_clusters.h"

#include <doctest/doctest.h>

namespace diarize {
namespace {

using Clusters32 = std::vector<std::int32_t>;

TEST_SUITE("top_clusters") {
  TEST_CASE("the lowest of equally many votes comes first") {
    const std::vector<double> votes = {1.0, 3.0, 3.0, 2.0};
    CHECK(top_clusters(votes, 1) == Clusters32{1});
    CHECK(top_clusters(votes, 3) == Clusters32{1, 2, 3});
  }

  TEST_CASE("clusters without votes are taken if there are no others") {
    const std::vector<double> votes = {0.0, 2.0};
    CHECK(top_clusters(votes, 2) == Clusters32{1, 0});
    CHECK(top_clusters(votes, 3) == Clusters32{1, 0});
  }

  TEST_CASE("frames in a row make one run") {
    RunCollector collector(2);
    collector.add(3, Clusters32{1});
    collector.add(4, Clusters32{1, 0});
    collector.add(7, Clusters32{1});
    const SpeakerActivity activity = collector.finish(9);
    CHECK(activity.num_frames == 9);
    CHECK(activity.runs ==
          std::vector<ActiveRun>{{0, 4, 5}, {1, 3, 5}, {1, 7, 8}});
  }
}

}  // namespace
}  // namespace diarize
