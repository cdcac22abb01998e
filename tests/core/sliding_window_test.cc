#include "core/sliding_window.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>

TEST_SUITE("sliding_window") {
  TEST_CASE("chunks one second apart start on the frames that pyannote gives") {
    constexpr std::array<std::int64_t, 12> kExpected = {
        0, 59, 119, 178, 237, 296, 356, 415, 474, 533, 593, 652};
    for (std::size_t chunk = 0; chunk < kExpected.size(); ++chunk) {
      const auto start =
          static_cast<std::int64_t>(chunk) * diarize::kSampleRate;
      CHECK(diarize::first_output_frame(start) == kExpected[chunk]);
    }
  }

  TEST_CASE("the grid covers the last chunk and a few frames more") {
    CHECK(diarize::num_output_frames(0) == 594);
    CHECK(diarize::num_output_frames(6 * 16000) == 949);
    CHECK(diarize::num_output_frames(17 * 16000) == 1601);
    CHECK(diarize::num_output_frames(20 * 16000) == 1779);
  }

  TEST_CASE("the first possible turn starts at the middle of frame zero") {
    CHECK(diarize::frame_middle(0) == doctest::Approx(0.03096875));
    CHECK(diarize::closest_frame(diarize::frame_middle(77)) == 77);
  }

  TEST_CASE("both ways to take the middle of a frame agree to the last bits") {
    constexpr double kLastBits = 1e-11;
    for (const std::int64_t frame : {0, 1, 77, 12345, 2133333}) {
      CHECK(std::abs(diarize::frame_centre(frame) -
                     diarize::frame_middle(frame)) < kLastBits);
    }
  }
}
