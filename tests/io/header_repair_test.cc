#include "io/header_repair.h"

#include "io/data_chunk.h"
#include "tests/io/make_audio.h"
#include "tests/io/memory_bytes.h"

#include <doctest/doctest.h>

#include <cmath>
#include <memory>

namespace {

using diarize::ByteSource;
using diarize::ChunkContainer;
using diarize::find_data_chunk;
using diarize::repair_header;
using diarize::test::MemoryBytes;
using diarize::test::ramp;
using diarize::test::text_at;
using diarize::test::wav_bytes;

// A file far longer than memory: a header, then zeros.
class LongFile final : public ByteSource {
 public:
  LongFile(std::string header, std::int64_t size)
      : header_(std::move(header)), size_(size) {}

  [[nodiscard]] std::size_t read_at(std::int64_t offset,
                                    std::span<std::byte> bytes) override {
    std::ranges::fill(bytes, std::byte{0});
    return offset < 44 ? header_.read_at(offset, bytes) : bytes.size();
  }
  [[nodiscard]] std::optional<std::int64_t> size() const override {
    return size_;
  }

 private:
  MemoryBytes header_;
  std::int64_t size_;
};

std::optional<diarize::DataChunk> chunk_of(const std::string& text) {
  MemoryBytes bytes(text);
  return find_data_chunk(bytes, std::ssize(text));
}

diarize::RepairedBytes repair(const std::string& bytes) {
  return repair_header(std::make_unique<MemoryBytes>(bytes));
}

bool is_untouched(const std::string& bytes) {
  return text_at(*repair(bytes).bytes, 0, 1000000) == bytes;
}

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

}  // namespace

TEST_SUITE("data_chunk") {
  TEST_CASE("the samples of a WAV are found behind other chunks") {
    std::string bytes = wav_bytes(ramp(10));
    const auto plain = chunk_of(bytes);
    REQUIRE(plain);
    CHECK(plain->container == ChunkContainer::kRiff);
    CHECK(plain->offset == 44);
    CHECK(plain->size_field == 40);
    CHECK(plain->declared_bytes == 20);
    CHECK(plain->linear);
    using namespace std::string_literals;
    bytes.insert(36, "LIST\x03\0\0\0abc\0"s);
    const auto behind = chunk_of(bytes);
    REQUIRE(behind);
    CHECK(behind->offset == 56);
  }

  TEST_CASE("blocks of ADPCM do not stand one by one") {
    std::string bytes = wav_bytes(ramp(10));
    bytes[20] = 2;
    REQUIRE(chunk_of(bytes));
    CHECK_FALSE(chunk_of(bytes)->linear);
  }

  TEST_CASE("headers that end early or lie about sizes find nothing") {
    const std::string bytes = wav_bytes(ramp(10));
    for (std::size_t size = 0; size < 44; ++size) {
      CHECK_FALSE(chunk_of(bytes.substr(0, size)));
    }
    std::string endless = bytes;
    endless.replace(16, 4, "\xff\xff\xff\xff");
    CHECK_FALSE(chunk_of(endless));
    CHECK_FALSE(chunk_of(std::string(100, 'x')));
    const std::string w64 = "riff" + std::string(20, '\xff') + "wave" +
                            std::string(12, '\0') + std::string(400, '\xff');
    CHECK_FALSE(chunk_of(w64));
  }

  TEST_CASE("a chain of empty chunks is given up") {
    std::string bytes = "RIFF....WAVE";
    using namespace std::string_literals;
    for (int number = 0; number < 5000; ++number) bytes += "junk\0\0\0\0"s;
    CHECK_FALSE(chunk_of(bytes + "data\0\0\0\0"s));
  }
}

TEST_SUITE("header_repair") {
  TEST_CASE("a header that tells the truth is left alone") {
    CHECK(is_untouched(wav_bytes(ramp(100))));
    using namespace std::string_literals;
    CHECK(is_untouched(wav_bytes(ramp(100)) + "LIST\x04\0\0\0abcd"s));
    CHECK(is_untouched("RIFF"));
    CHECK(is_untouched(""));
  }

  TEST_CASE("sizes that were never filled in are shown as unfinished") {
    for (const std::uint32_t size : {0U, 0xFFFFFFFFU, 0xFFFFFFDBU, 0x7FFFFFFFU,
                                     0x7FFFF000U, 0x80000000U, 0x7F000000U}) {
      CAPTURE(size);
      const auto repaired = repair(wav_bytes(ramp(100), size, size));
      CHECK(repaired.bytes->size() == 244);
      CHECK(text_at(*repaired.bytes, 40, 4) == std::string(4, '\0'));
      CHECK(repaired.header_end == 44);
      CHECK(repaired.promised_share == 1.0);
    }
  }

  TEST_CASE("chunks that go beyond the end are not shown") {
    using namespace std::string_literals;
    const std::string bytes = wav_bytes(ramp(100));
    CHECK(repair(bytes + "LIST").bytes->size() == 244);
    CHECK(repair(bytes + "LIST\xff\xff\xff\xff"s).bytes->size() == 244);
    CHECK(repair(bytes + "LIST\x04\0\0\0abcdLIST\xff\xff\xff\x7f"s)
              .bytes->size() == 256);
    const std::string headless =
        bytes.substr(0, 36) + "LIST" + std::string(100, '\xff');
    CHECK(repair(headless).bytes->size() == 36);
  }

  TEST_CASE("a second file or second samples behind the first are surplus") {
    const std::string first = wav_bytes(ramp(100));
    const std::string second = wav_bytes(ramp(4000));
    const auto joined = repair(first + second);
    CHECK(joined.bytes->size() == 244);
    CHECK(joined.surplus_bytes == std::ssize(second));
    const auto samples = repair(first + second.substr(36));
    CHECK(samples.surplus_bytes == std::ssize(second) - 36);
    const std::string au = ".snd" +
                           std::string("\0\0\0\x18\0\0\0\x64\0\0\0\3\0\0", 14) +
                           std::string("\x3e\x80\0\0\0\1", 6);
    CHECK(repair(au + std::string(9000, 'x')).surplus_bytes == 8900);
  }

  TEST_CASE("an RF64 may promise anything but all ones") {
    const auto rf64 = [](const std::string& data_size) {
      using namespace std::string_literals;
      return "RF64\xff\xff\xff\xffWAVEds64\x1c\0\0\0"s + std::string(8, '\0') +
             data_size + std::string(12, '\0') +
             wav_bytes(ramp(100)).substr(12);
    };
    const auto lie = repair(rf64(std::string(7, '\0') + "\x40"));
    CHECK(lie.promised_share == std::ldexp(1.0, 62) / 200);
    for (const std::string& open :
         {std::string(8, '\xff'), std::string(8, '\0')}) {
      const auto repaired = repair(rf64(open));
      CHECK(repaired.promised_share == 1.0);
      CHECK(text_at(*repaired.bytes, 0, 4) == "RIFF");
    }
  }

  TEST_CASE("an empty WAV with a trailing chunk stays empty") {
    using namespace std::string_literals;
    CHECK(is_untouched(wav_bytes({}, 48, 0) + "LIST\x04\0\0\0abcd"s));
    CHECK(is_untouched(wav_bytes({})));
  }

  TEST_CASE("a cut file promises more than there is") {
    const auto repaired = repair(wav_bytes(ramp(100), 1036, 1000));
    CHECK(repaired.promised_share == 5.0);
    CHECK(repaired.bytes->size() == 244);
  }

  TEST_CASE("a size that wrapped at 4 GiB is unwrapped as far as there is") {
    const std::string header = wav_bytes({}, 1036, 1000);
    for (const std::int64_t there : {1000 + 4 * kGiB, 1500 + 4 * kGiB}) {
      const auto repaired =
          repair_header(std::make_unique<LongFile>(header, 44 + there));
      CHECK(repaired.bytes->size() == 44 + 1000 + 4 * kGiB);
    }
    const auto twice =
        repair_header(std::make_unique<LongFile>(header, 44 + 2000 + 8 * kGiB));
    CHECK(twice.bytes->size() == 44 + 1000 + 8 * kGiB);
  }

  TEST_CASE("a stream of a WAV ends where its header says if it says so") {
    std::unique_ptr<ByteSource> known =
        std::make_unique<MemoryBytes>(wav_bytes(ramp(100)));
    CHECK(diarize::repair_stream(known, 244)->bytes->size() == 244);
    std::unique_ptr<ByteSource> open =
        std::make_unique<MemoryBytes>(wav_bytes(ramp(100), 0, 0));
    CHECK(*diarize::repair_stream(open, 244)->bytes->size() > 1000 * kGiB);
    std::unique_ptr<ByteSource> other =
        std::make_unique<MemoryBytes>(std::string(1000, 'x'));
    CHECK_FALSE(diarize::repair_stream(other, 1000));
    CHECK(text_at(*other, 0, 1) == "x");
  }
}
