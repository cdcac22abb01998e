#include "cli/byte_size.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

using diarize::bytes_text;
using diarize::parse_bytes;

TEST_SUITE("byte size") {
  TEST_CASE("sizes are read as people write them") {
    const std::vector<std::pair<std::string, std::size_t>> sizes = {
        {"4096", 4096},
        {"1", 1},
        {"100B", 100},
        {"2K", 2048},
        {"500M", std::size_t{500} << 20},
        {"2G", std::size_t{2} << 30},
        {"2g", std::size_t{2} << 30},
        {"1.5GiB", std::size_t{3} << 29},
        {"1.5gib", std::size_t{3} << 29},
        {"3GB", 3'000'000'000},
        {"1T", std::size_t{1} << 40},
        {"0.5K", 512}};
    for (const auto& [text, bytes] : sizes) {
      CAPTURE(text);
      CHECK(parse_bytes(text) == bytes);
    }
  }

  TEST_CASE("anything else is no size") {
    for (const char* text :
         {"", "M", "two", "2X", "2 G", " 2G", "2G ", "-1", "+1", "0", "0.1",
          "1e9", "1e30", "9999999T", "2GiBB", "2iB", "nan", "inf", "0x10"}) {
      CAPTURE(text);
      CHECK_FALSE(parse_bytes(text));
    }
  }

  TEST_CASE("a size that is said can be given") {
    for (const std::size_t bytes :
         {std::size_t{1}, std::size_t{1023}, std::size_t{1024},
          std::size_t{18'400'001}, std::size_t{1} << 35}) {
      const auto again = parse_bytes(bytes_text(bytes));
      REQUIRE(again.has_value());
      CHECK(*again >= bytes);
      // Rounded by less than a tenth of its unit.
      CHECK(static_cast<double>(*again) <= 1.1 * static_cast<double>(bytes));
    }
    CHECK(bytes_text(1023) == "1023");
    CHECK(bytes_text(std::size_t{3} << 19) == "1.5M");
  }
}
