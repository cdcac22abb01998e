#include "cli/report/report.h"

#include <doctest/doctest.h>

#include <stdexcept>

using diarize::render_report;
using diarize::Report;

TEST_SUITE("report") {
  TEST_CASE("every format can be rendered for silence") {
    for (const std::string& format : diarize::report_formats()) {
      CAPTURE(format);
      CHECK_NOTHROW(static_cast<void>(
          render_report(format, Report{"s.wav", "s", {}}, false)));
    }
  }

  TEST_CASE("labels have at least two digits") {
    CHECK(diarize::speaker_label(0) == "SPEAKER_00");
    CHECK(diarize::speaker_label(123) == "SPEAKER_123");
  }

  TEST_CASE("an unknown format is a defect of the caller") {
    CHECK_THROWS_AS(
        static_cast<void>(render_report("xml", Report{"s", "s", {}}, false)),
        std::logic_error);
  }
}
