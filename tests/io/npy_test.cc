#include "io/npy.h"

#include "core/error.h"
#include "tests/io/make_zip.h"

#include <doctest/doctest.h>

#include <span>
#include <string>
#include <vector>

namespace {

using diarize::FatalError;
using diarize::npy_values;
using diarize::NpyArray;
using diarize::test::npy_bytes;
using diarize::test::raw_bytes;

NpyArray parse(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return diarize::parse_npy({bytes.begin(), bytes.end()});
}

std::string header(const std::string& dtype, const std::string& shape,
                   const std::string& fortran_order = "False") {
  return "{'descr': '" + dtype + "', 'fortran_order': " + fortran_order +
         ", 'shape': " + shape + ", }";
}

}  // namespace

TEST_SUITE("npy") {
  TEST_CASE("values come back in row major order") {
    const std::vector<float> values{1.5F, -2.0F, 3.0F, 4.0F, 5.0F, 6.0F};
    const NpyArray array =
        parse(npy_bytes(header("<f4", "(2, 3)"), raw_bytes(values)));
    CHECK(array.shape == std::vector<std::size_t>{2, 3});
    CHECK(array.dtype == "<f4");
    CHECK(npy_values<float>(array) == values);
  }

  TEST_CASE("Fortran order is turned into row major order") {
    const std::vector<std::int32_t> values{1, 4, 2, 5, 3, 6};
    const NpyArray array =
        parse(npy_bytes(header("<i4", "(2, 3)", "True"), raw_bytes(values)));
    CHECK(npy_values<std::int32_t>(array) ==
          std::vector<std::int32_t>{1, 2, 3, 4, 5, 6});
  }

  TEST_CASE("Fortran order of three dimensions is turned too") {
    // Value at (i, j, k) of shape (2, 3, 2) is 100 i + 10 j + k.
    std::vector<std::int64_t> values;
    std::vector<std::int64_t> expected;
    for (int k = 0; k < 2; ++k) {
      for (int j = 0; j < 3; ++j) {
        for (int i = 0; i < 2; ++i) values.push_back(100 * i + 10 * j + k);
      }
    }
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 3; ++j) {
        for (int k = 0; k < 2; ++k) expected.push_back(100 * i + 10 * j + k);
      }
    }
    const NpyArray array =
        parse(npy_bytes(header("<i8", "(2, 3, 2)", "True"), raw_bytes(values)));
    CHECK(npy_values<std::int64_t>(array) == expected);
  }

  TEST_CASE("every dtype widens to the types that hold it") {
    const auto as_double = [](const std::string& dtype,
                              const std::string& data) {
      return npy_values<double>(parse(npy_bytes(header(dtype, "(2,)"), data)));
    };
    const std::vector<double> expected{1.0, 0.0};
    CHECK(as_double("|b1", raw_bytes<std::uint8_t>({1, 0})) == expected);
    CHECK(as_double("|u1", raw_bytes<std::uint8_t>({1, 0})) == expected);
    CHECK(as_double("|i1", raw_bytes<std::int8_t>({1, 0})) == expected);
    CHECK(as_double("<u2", raw_bytes<std::uint16_t>({1, 0})) == expected);
    CHECK(as_double("<i2", raw_bytes<std::int16_t>({1, 0})) == expected);
    CHECK(as_double("<u4", raw_bytes<std::uint32_t>({1, 0})) == expected);
    CHECK(as_double("<i4", raw_bytes<std::int32_t>({1, 0})) == expected);
    CHECK(as_double("<i8", raw_bytes<std::int64_t>({1, 0})) == expected);
    CHECK(as_double("<f4", raw_bytes<float>({1, 0})) == expected);
    CHECK(as_double("<f8", raw_bytes<double>({1, 0})) == expected);
  }

  TEST_CASE("integers narrow only where every value fits") {
    const auto narrow = [](std::int64_t value) {
      return npy_values<std::int32_t>(parse(npy_bytes(
          header("<i8", "()"), raw_bytes(std::vector<std::int64_t>{value}))));
    };
    CHECK(narrow(-7) == std::vector<std::int32_t>{-7});
    CHECK_THROWS_AS((void)narrow(std::int64_t{1} << 40), FatalError);
  }

  TEST_CASE("what would be rounded is refused") {
    const NpyArray doubles =
        parse(npy_bytes(header("<f8", "(1,)"), raw_bytes<double>({0.5})));
    CHECK_THROWS_AS((void)npy_values<float>(doubles), FatalError);
    CHECK_THROWS_AS((void)npy_values<std::int32_t>(doubles), FatalError);
    const NpyArray large =
        parse(npy_bytes(header("<i8", "(1,)"),
                        raw_bytes(std::vector<std::int64_t>{(1LL << 53) + 1})));
    CHECK_THROWS_AS((void)npy_values<double>(large), FatalError);
  }

  TEST_CASE("a scalar and an empty array are arrays") {
    const NpyArray scalar =
        parse(npy_bytes(header("<f8", "()"), raw_bytes<double>({0.6})));
    CHECK(scalar.shape.empty());
    CHECK(npy_values<double>(scalar) == std::vector<double>{0.6});
    const NpyArray empty = parse(npy_bytes(header("<f8", "(0, 3)"), ""));
    CHECK(npy_values<double>(empty).empty());
  }

  TEST_CASE("strings keep their shape and are refused as numbers") {
    const NpyArray array =
        parse(npy_bytes(header("<U2", "(1,)"), std::string(8, 'x')));
    CHECK(array.shape == std::vector<std::size_t>{1});
    CHECK_THROWS_WITH_AS((void)npy_values<double>(array),
                         "values of dtype '<U2' are not read", FatalError);
  }

  TEST_CASE("damaged headers are refused") {
    const std::string data = raw_bytes<float>({1, 2});
    const std::vector<std::string> headers{
        "",
        "{",
        "{}",
        "{'descr': '<f4'}",
        "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2 2)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'x': 1}",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}",
        header("<f4", "(3,)"),
        header("<f4", "(1,)"),
        header("<f4", "(4294967296, 4294967296)"),
        header("<f4", "(99999999999999999999999,)"),
        header("<f4", "(" + std::string(99, '1') + ")"),
        "{'descr': '<f4, 'fortran_order': False, 'shape': (2,)"};
    for (const std::string& text : headers) {
      CAPTURE(text);
      CHECK_THROWS_AS((void)parse(npy_bytes(text, data)), FatalError);
    }
  }

  TEST_CASE("a file cut off anywhere is refused") {
    const std::string whole =
        npy_bytes(header("<f4", "(2,)"), raw_bytes<float>({1, 2}));
    CHECK_NOTHROW((void)parse(whole));
    for (std::size_t length = 0; length < whole.size(); ++length) {
      CAPTURE(length);
      CHECK_THROWS_AS((void)parse(whole.substr(0, length)), FatalError);
    }
  }

  TEST_CASE("an unknown version of the format is refused") {
    std::string whole =
        npy_bytes(header("<f4", "(2,)"), raw_bytes<float>({1, 2}));
    whole[6] = 9;
    CHECK_THROWS_WITH_AS((void)parse(whole),
                         "version 9 of the .npy format is not known",
                         FatalError);
  }
}
