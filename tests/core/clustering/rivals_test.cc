#include "core/clustering/rivals.h"

#include <doctest/doctest.h>

namespace diarize {
namespace {

// One chunk whose three local speakers point along the axes.
LocalVectors three_speakers(const std::array<double, 3>& seconds) {
  LocalVectors local;
  local.values = Array<double, 2>({3, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1});
  local.rows = {{0, 1, 2}};
  local.seconds = {seconds};
  return local;
}

SpeakerCount covered_by(std::uint16_t chunks) {
  return {{1, 1, 0}, {chunks, chunks, 0}};
}

TEST_SUITE("rivals") {
  TEST_CASE("local speakers of seven tenths of a second are rivals") {
    const LocalVectors local = three_speakers({2.0, 0.7, 0.69});
    const Rivals rivals = find_rivals(local, covered_by(1));
    REQUIRE(rivals.seconds.size() == 1);
    CHECK(rivals.seconds[0] == 0.7);
    CHECK(rivals.first[0].data() == local.values.row(0).data());
    CHECK(rivals.second[0].data() == local.values.row(1).data());
  }

  TEST_CASE("seconds are shared among the chunks over a covered frame") {
    const LocalVectors local = three_speakers({2.0, 1.0, 0.0});
    CHECK(find_rivals(local, covered_by(4)).seconds[0] == 0.25);
    CHECK(find_rivals(local, {}).seconds[0] == 1.0);
  }

  TEST_CASE("chunks without evidence have no rivals") {
    LocalVectors local;
    local.rows = {{-1, -1, -1}};
    local.seconds = {{0.0, 0.0, 0.0}};
    CHECK(find_rivals(local, covered_by(1)).seconds.empty());
  }
}

}  // namespace
}  // namespace diarize
