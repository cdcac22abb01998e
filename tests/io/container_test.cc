#include "io/container.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

namespace {

std::string name_of(const std::string& bytes) {
  return diarize::identify_container(std::as_bytes(std::span(bytes))).name;
}

}  // namespace

TEST_SUITE("container") {
  TEST_CASE("files are known by their first bytes") {
    const std::vector<std::pair<std::string, std::string>> kKnown = {
        {"RIFF....WAVEfmt ", "a WAV file"},
        {"....ftypM4A ", "an MPEG-4 file (m4a, mp4, mov)"},
        {"\x1a\x45\xdf\xa3....", "a Matroska file (mkv, webm)"},
        {"#!AMR\n", "an AMR file"},
        {"OggS", "an Ogg file"},
        {"\xff\xfb\x90\x44", "an MP3 file"},
        {"\xff\xf1\x50\x80", "an AAC stream"},
        {"%PDF-1.7", "a PDF document"},
    };
    for (const auto& [bytes, name] : kKnown) CHECK(name_of(bytes) == name);
  }

  TEST_CASE("letters are text in any language") {
    CHECK(name_of("not audio\n") == "text");
    CHECK(name_of("<!DOCTYPE html>\r\n<p>Grüße</p>") == "text");
  }

  TEST_CASE("anything else is named by its bytes") {
    CHECK(name_of(std::string("\x01\x02\xab\x00\x05", 5)) ==
          "not a known format (begins with 01 02 ab 00)");
    CHECK(name_of("\x01") == "not a known format (begins with 01)");
  }

  TEST_CASE("who reads a file is known by its kind") {
    using diarize::ContainerReader;
    const auto reader_of = [](const std::string& bytes) {
      return diarize::identify_container(std::as_bytes(std::span(bytes)))
          .reader;
    };
    CHECK(reader_of("fLaC") == ContainerReader::kSndfile);
    CHECK(reader_of("....ftypM4A ") == ContainerReader::kFfmpeg);
    CHECK(reader_of("\xff\xf1\x50\x80") == ContainerReader::kFfmpeg);
    CHECK(reader_of("\x89PNG") == ContainerReader::kNobody);
    CHECK(reader_of("not audio") == ContainerReader::kNobody);
    CHECK(reader_of("") == ContainerReader::kNobody);
  }
}
