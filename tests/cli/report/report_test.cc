#include "cli/report/report.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

using diarize::render_report;
using diarize::Report;

namespace {

// Two speakers on the first channel and one on the second, 4 s.
diarize::FileDiarization two_channels() {
  diarize::FileDiarization result;
  result.by_channel = true;
  result.channels.resize(2);
  result.channels[0].turns = {{1, 1, 0}, {2, 1, 1}};
  result.channels[0].exclusive_turns = {{1, 0.5, 0}};
  result.channels[0].num_speakers = 2;
  result.channels[0].seconds = 4;
  result.channels[1].turns = {{0.5, 1, 0}, {2, 1, 0}};
  result.channels[1].num_speakers = 1;
  return result;
}

}  // namespace

TEST_SUITE("report") {
  TEST_CASE("every format can be rendered for silence") {
    for (const std::string& format : diarize::report_formats()) {
      CAPTURE(format);
      CHECK_NOTHROW(static_cast<void>(
          render_report(format, Report{"s.wav", "s", {}}, false)));
    }
  }

  TEST_CASE("channels of their own are told by field and label") {
    const Report report{"a.wav", "a", two_channels()};
    CHECK(render_report("rttm", report, false) ==
          "SPEAKER a 2 0.500 1.000 <NA> <NA> CH2_SPEAKER_00 <NA> <NA>\n"
          "SPEAKER a 1 1.000 1.000 <NA> <NA> CH1_SPEAKER_00 <NA> <NA>\n"
          "SPEAKER a 1 2.000 1.000 <NA> <NA> CH1_SPEAKER_01 <NA> <NA>\n"
          "SPEAKER a 2 2.000 1.000 <NA> <NA> CH2_SPEAKER_00 <NA> <NA>\n");
    CHECK(diarize::report_labels(report.diarization) ==
          std::vector<std::string>{"CH1_SPEAKER_00", "CH1_SPEAKER_01",
                                   "CH2_SPEAKER_00"});
    CHECK(report.diarization.num_speakers() == 3);
    CHECK(report.diarization.seconds() == 4);
  }

  TEST_CASE("a channel alone is told as well") {
    diarize::FileDiarization found = two_channels();
    found.channels.pop_back();
    const auto turns = diarize::report_turns(found, true);
    REQUIRE(turns.size() == 1);
    CHECK(turns[0].channel == 1);
    CHECK(turns[0].speaker == "CH1_SPEAKER_00");
  }

  TEST_CASE("the channels together are channel 1 without a mark") {
    diarize::FileDiarization found = two_channels();
    found.channels.pop_back();
    found.by_channel = false;
    CHECK(render_report("rttm", {"a.wav", "a", found}, true) ==
          "SPEAKER a 1 1.000 0.500 <NA> <NA> SPEAKER_00 <NA> <NA>\n");
  }

  TEST_CASE("an unknown format is a defect of the caller") {
    CHECK_THROWS_AS(
        static_cast<void>(render_report("xml", Report{"s", "s", {}}, false)),
        std::logic_error);
  }
}
