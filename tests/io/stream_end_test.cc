#include "io/stream_end.h"

#include "tests/io/make_audio.h"
#include "tests/io/memory_bytes.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>
#include <sndfile.h>

namespace {

using diarize::inspect_ogg;
using diarize::test::MemoryBytes;
using diarize::test::read_bytes;
using diarize::test::TemporaryFolder;
using diarize::test::tones;
using diarize::test::write_audio;

std::string encoded(int format) {
  const TemporaryFolder folder;
  write_audio(folder.path() / "a", tones(160000, 1, 16000), 1, 16000, format);
  return read_bytes(folder.path() / "a");
}

diarize::OggEnd ogg_end(const std::string& bytes) {
  MemoryBytes source(bytes);
  return inspect_ogg(source);
}

// The first frame of an MP3 with a Xing header that states its bytes.
std::string xing_frame(std::uint32_t stated_bytes) {
  std::string bytes = "\xff\xfb\x90\x44" + std::string(32, '\0') + "Xing";
  bytes += std::string("\0\0\0\3\0\0\0\1", 8);
  for (int place = 3; place >= 0; --place) {
    bytes += static_cast<char>(stated_bytes >> (8 * place) & 0xFFU);
  }
  return bytes + std::string(400 - bytes.size(), '\0');
}

std::int64_t surplus(const std::string& bytes) {
  MemoryBytes source(bytes);
  return diarize::mp3_surplus_bytes(source);
}

}  // namespace

TEST_SUITE("stream_end") {
  TEST_CASE("a whole Ogg file is marked and one that was cut is not") {
    for (const int codec : {SF_FORMAT_VORBIS, SF_FORMAT_OPUS}) {
      const std::string bytes = encoded(SF_FORMAT_OGG | codec);
      CHECK(ogg_end(bytes).marked);
      CHECK_FALSE(ogg_end(bytes).chained);
      CHECK_FALSE(ogg_end(bytes.substr(0, bytes.size() / 2)).marked);
      CHECK_FALSE(ogg_end(bytes.substr(0, bytes.size() - 1)).marked);
    }
  }

  TEST_CASE("a second stream behind the first is seen") {
    const std::string bytes = encoded(SF_FORMAT_OGG | SF_FORMAT_VORBIS);
    CHECK(ogg_end(bytes + bytes).chained);
    CHECK(ogg_end(bytes + std::string(200000, 'x') + bytes).chained);
    CHECK(ogg_end(bytes + bytes).marked);
  }

  TEST_CASE("what is no Ogg has no mark") {
    CHECK_FALSE(ogg_end("").marked);
    CHECK_FALSE(ogg_end("OggS").marked);
    CHECK_FALSE(ogg_end(std::string(100000, 'O')).marked);
  }

  TEST_CASE("bytes behind those an MP3 states are counted but for a tag") {
    CHECK(surplus(xing_frame(400)) == 0);
    CHECK(surplus(xing_frame(400) + std::string(128, 'T')) == 0);
    CHECK(surplus(xing_frame(400) + std::string(20000, 'x')) == 20000);
    const std::string tag = "ID3\3" + std::string("\0\0\0\0\1\x10", 6);
    const std::string tagged = tag + std::string(144, 't') + xing_frame(400);
    CHECK(surplus(tagged + std::string(20000, 'x')) == 20000);
    CHECK(surplus(std::string(50000, '\0')) == 0);
    CHECK(surplus("") == 0);
  }

  TEST_CASE("an MP3 states its length in a header or not at all") {
    MemoryBytes with(xing_frame(400));
    CHECK(diarize::mp3_states_length(with));
    MemoryBytes without("\xff\xfb\x90\x44" + std::string(1000, '\0'));
    CHECK_FALSE(diarize::mp3_states_length(without));
  }
}
