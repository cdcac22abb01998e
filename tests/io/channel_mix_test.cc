#include "io/channel_mix.h"

#include <doctest/doctest.h>

TEST_SUITE("channel_mix") {
  TEST_CASE("a channel is taken out of an interleaved block") {
    const std::vector<float> block = {1, 10, 100, 2, 20, 200};
    CHECK(diarize::take_channel(block, 3, 0) == std::vector<float>{1, 2});
    CHECK(diarize::take_channel(block, 3, 2) == std::vector<float>{100, 200});
  }

  TEST_CASE("the mean goes over all channels") {
    const std::vector<float> block = {1, 2, 6, -1, -2, -6};
    CHECK(diarize::mean_of_channels(block, 3) == std::vector<float>{3, -3});
  }

  TEST_CASE("two equal channels give back each to the bit") {
    const std::vector<float> block = {0.1F, 0.1F, 1e-39F, 1e-39F, 0.7F, 0.7F};
    CHECK(diarize::mean_of_channels(block, 2) ==
          std::vector<float>{0.1F, 1e-39F, 0.7F});
  }

  TEST_CASE("one channel is left as it is") {
    const std::vector<float> block = {0.1F, 0.2F};
    CHECK(diarize::mean_of_channels(block, 1) == block);
  }
}
