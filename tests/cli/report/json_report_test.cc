#include "cli/report/json_report.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <string>

using diarize::json_report;
using diarize::Report;

TEST_SUITE("json report") {
  TEST_CASE("a recording is one line with fixed keys") {
    Report report{"x/a b.wav", "a_b", {}};
    diarize::Diarization& found = report.diarization.channels.emplace_back();
    found.turns = {{0.0309375, 1.5, 0}, {1.0004, 2.25, 1}};
    found.exclusive_turns = {{0.0309375, 1.5, 0}};
    found.num_speakers = 2;
    found.seconds = 23.2550625;
    CHECK(json_report(report) ==
          "{\"file\":\"x/a b.wav\",\"file_id\":\"a_b\",\"seconds\":23.255,"
          "\"speakers\":[\"SPEAKER_00\",\"SPEAKER_01\"],\"turns\":["
          "{\"onset\":0.031,\"duration\":1.5,\"speaker\":\"SPEAKER_00\"},"
          "{\"onset\":1.0,\"duration\":2.25,\"speaker\":\"SPEAKER_01\"}],"
          "\"exclusive_turns\":["
          "{\"onset\":0.031,\"duration\":1.5,\"speaker\":\"SPEAKER_00\"}]}\n");
  }

  TEST_CASE("turns of channels of their own have their channel") {
    Report report{"a.wav", "a", {}};
    report.diarization.by_channel = true;
    report.diarization.channels.resize(2);
    report.diarization.channels[1].turns = {{1, 2, 0}};
    report.diarization.channels[1].num_speakers = 1;
    CHECK(json_report(report) ==
          "{\"file\":\"a.wav\",\"file_id\":\"a\",\"seconds\":0.0,"
          "\"speakers\":[\"CH2_SPEAKER_00\"],\"turns\":["
          "{\"onset\":1.0,\"duration\":2.0,\"speaker\":\"CH2_SPEAKER_00\","
          "\"channel\":2}],\"exclusive_turns\":[]}\n");
  }

  TEST_CASE("silence has all keys and empty lists") {
    CHECK(json_report({"s.wav", "s", {}}) ==
          "{\"file\":\"s.wav\",\"file_id\":\"s\",\"seconds\":0.0,"
          "\"speakers\":[],\"turns\":[],\"exclusive_turns\":[]}\n");
  }

  TEST_CASE("a name that is not UTF-8 still gives valid JSON") {
    const auto parsed = nlohmann::json::parse(
        json_report({"caf\xe9 \"x\".wav", "caf\xe9", {}}));
    CHECK(parsed["file"] == "caf\uFFFD \"x\".wav");
  }
}
