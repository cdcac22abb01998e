#include "io/zip_archive.h"

#include "core/error.h"
#include "tests/io/make_zip.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

using diarize::FatalError;
using diarize::ZipArchive;
using diarize::test::Compression;
using diarize::test::make_zip;
using diarize::test::TemporaryFolder;

// The bytes of a number, lowest first.
template <typename T>
std::string number(T value) {
  std::string bytes(sizeof(value), '\0');
  std::memcpy(bytes.data(), &value, sizeof(value));
  return bytes;
}

std::uint32_t crc32_of(std::string_view bytes) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (const char c : bytes) {
    crc ^= static_cast<std::uint8_t>(c);
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xEDB88320U : 0U);
    }
  }
  return ~crc;
}

constexpr std::uint32_t kIn64 = 0xFFFFFFFF;  // the value is in 64 bits instead

// Version, flags, method, time, date and checksum, alike in both headers.
std::string common_header(std::uint16_t flags, std::uint32_t crc) {
  return number<std::uint16_t>(45) + number(flags) + number<std::uint16_t>(0) +
         number<std::uint32_t>(0) + number(crc);
}

std::string extra64(const std::string& values) {
  return number<std::uint16_t>(1) +
         number(static_cast<std::uint16_t>(values.size())) + values;
}

// An archive with one stored entry whose sizes and place are all in zip64
// records (PKWARE, APPNOTE 4.3 and 4.5.3). `padding` lies in the extra field of
// the local header alone, as torch.save has it. With `deferred` the sizes are
// in a data descriptor behind the entry, so the local header has none.
std::string zip64(const std::string& name, const std::string& data,
                  std::size_t padding = 0, bool deferred = false) {
  const std::uint64_t size = data.size();
  const std::uint16_t flags = deferred ? 8 : 0;
  const std::uint32_t crc = crc32_of(data);
  std::string local_extra =
      extra64(deferred ? number<std::uint64_t>(0) + number<std::uint64_t>(0)
                       : number(size) + number(size));
  if (padding > 0) {
    local_extra += "FB" + number(static_cast<std::uint16_t>(padding)) +
                   std::string(padding, 'Z');
  }
  std::string file = "PK\3\4" + common_header(flags, deferred ? 0 : crc) +
                     number(kIn64) + number(kIn64) +
                     number(static_cast<std::uint16_t>(name.size())) +
                     number(static_cast<std::uint16_t>(local_extra.size())) +
                     name + local_extra + data;
  if (deferred) file += "PK\7\10" + number(crc) + number(size) + number(size);
  const std::uint64_t directory_start = file.size();
  const std::string extra =
      extra64(number(size) + number(size) + number<std::uint64_t>(0));
  file += "PK\1\2" + number<std::uint16_t>(45) + common_header(flags, crc) +
          number(kIn64) + number(kIn64) +
          number(static_cast<std::uint16_t>(name.size())) +
          number(static_cast<std::uint16_t>(extra.size())) +
          std::string(10, '\0') + number(kIn64) + name + extra;
  const std::uint64_t directory_size = file.size() - directory_start;
  const std::uint64_t end_start = file.size();
  file += "PK\6\6" + number<std::uint64_t>(44) + number<std::uint16_t>(45) +
          number<std::uint16_t>(45) + number<std::uint32_t>(0) +
          number<std::uint32_t>(0) + number<std::uint64_t>(1) +
          number<std::uint64_t>(1) + number(directory_size) +
          number(directory_start);
  file += "PK\6\7" + number<std::uint32_t>(0) + number(end_start) +
          number<std::uint32_t>(1);
  file += "PK\5\6" + number<std::uint32_t>(0) + number<std::uint16_t>(0xFFFF) +
          number<std::uint16_t>(0xFFFF) + number(kIn64) + number(kIn64) +
          number<std::uint16_t>(0);
  return file;
}

std::string text_of(const ZipArchive& archive, std::string_view name) {
  const diarize::ZipEntry* entry = archive.find(name);
  REQUIRE(entry != nullptr);
  const std::vector<std::byte> bytes = archive.read(*entry);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

TEST_SUITE("zip_archive") {
  TEST_CASE("entries are found by name and read") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "a.zip";
    make_zip(path, {{"b/two", "22"}, {"a/one", "1"}, {"empty", ""}});
    const ZipArchive archive(path);
    REQUIRE(archive.entries().size() == 3);
    CHECK(archive.entries()[0].name == "b/two");
    CHECK(archive.entries()[0].size == 2);
    CHECK(archive.entries()[0].stored);
    CHECK(text_of(archive, "a/one") == "1");
    CHECK(text_of(archive, "b/two") == "22");
    CHECK(text_of(archive, "empty").empty());
    CHECK(archive.find("a") == nullptr);
    CHECK(archive.find("zzz") == nullptr);
    CHECK(archive.file_size() == std::filesystem::file_size(path));
  }

  TEST_CASE("compressed entries are read and known as such") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "a.zip";
    const std::string text(100000, 'x');
    make_zip(path, {{"a", text}}, Compression::kDeflated);
    const ZipArchive archive(path);
    CHECK_FALSE(archive.entries()[0].stored);
    CHECK(archive.entries()[0].compressed_size < 1000);
    CHECK(text_of(archive, "a") == text);
  }

  TEST_CASE("zip64 archives are read") {
    const TemporaryFolder folder;
    const ZipArchive archive(folder.write("a.zip", zip64("m/data", "values")));
    REQUIRE(archive.entries().size() == 1);
    CHECK(archive.entries()[0].stored);
    CHECK(text_of(archive, "m/data") == "values");
  }

  TEST_CASE("padding in the local header alone is passed over") {
    const TemporaryFolder folder;
    const ZipArchive archive(
        folder.write("a.zip", zip64("m/data", "values", 37)));
    CHECK(text_of(archive, "m/data") == "values");
  }

  TEST_CASE("sizes in a data descriptor are taken from the directory") {
    const TemporaryFolder folder;
    const ZipArchive archive(
        folder.write("a.zip", zip64("m/data", "values", 37, true)));
    CHECK(text_of(archive, "m/data") == "values");
  }

  TEST_CASE("an entry beyond the bound is refused before it is read") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "a.zip";
    make_zip(path,
             {{"a", std::string(101, 'x')}, {"b", std::string(100, 'x')}});
    const ZipArchive archive(path, 100);
    CHECK_THROWS_WITH_AS((void)text_of(archive, "a"),
                         "entry 'a' has 101 bytes, expected at most 100",
                         FatalError);
    CHECK(text_of(archive, "b").size() == 100);
  }

  TEST_CASE("a size that the archive cannot hold is refused") {
    const TemporaryFolder folder;
    // The directory promises more bytes than the file has.
    std::string bytes = zip64("m", "values");
    const std::string size =
        number<std::uint64_t>(6) + number<std::uint64_t>(6);
    const std::size_t place = bytes.rfind(size);
    REQUIRE(place != std::string::npos);
    bytes.replace(
        place, size.size(),
        number<std::uint64_t>(1 << 29) + number<std::uint64_t>(1 << 29));
    std::string message;
    try {
      const ZipArchive archive(folder.write("a.zip", bytes));
      (void)text_of(archive, "m");
    } catch (const FatalError& error) {
      message = error.what();
    }
    CHECK_FALSE(message.empty());
  }

  TEST_CASE("a changed byte of an entry is found") {
    const TemporaryFolder folder;
    std::string bytes = zip64("m", "values");
    bytes[bytes.find("values") + 2] = 'L';
    const ZipArchive archive(folder.write("a.zip", bytes));
    CHECK_THROWS_WITH_AS((void)text_of(archive, "m"),
                         "entry 'm' is damaged: CRC error", FatalError);
  }

  TEST_CASE("memory of another size is a mistake of the program") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "a.zip";
    make_zip(path, {{"a", "abc"}});
    const ZipArchive archive(path);
    std::vector<std::byte> small(2);
    CHECK_THROWS_AS(archive.read(archive.entries()[0], small),
                    std::logic_error);
  }

  TEST_CASE("what is no archive is refused with what was found") {
    const TemporaryFolder folder;
    const auto refusal = [](const std::filesystem::path& path) {
      try {
        const ZipArchive archive(path);
      } catch (const FatalError& error) {
        return std::string(error.what());
      }
      return std::string();
    };
    CHECK(refusal(folder.path() / "absent") == "no such file");
    CHECK(refusal(folder.path()) == "is not a file");
    CHECK(refusal(folder.write("empty", "")) ==
          "is empty, expected a zip archive");
    CHECK(refusal(folder.write("text", "no archive")) ==
          "expected a zip archive: Not a zip archive");
  }

  TEST_CASE("an archive cut off anywhere is refused") {
    const TemporaryFolder folder;
    const std::string whole = zip64("m", "values");
    int num_refused = 0;
    for (std::size_t length = 0; length < whole.size(); ++length) {
      CAPTURE(length);
      try {
        const ZipArchive archive(
            folder.write("cut.zip", whole.substr(0, length)));
        CHECK(text_of(archive, "m") == "values");
      } catch (const FatalError&) {
        ++num_refused;
      }
    }
    CHECK(num_refused == static_cast<int>(whole.size()));
  }
}
