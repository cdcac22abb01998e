#include "io/npy.h"

#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <concepts>
#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>

namespace diarize {
namespace {

static_assert(std::endian::native == std::endian::little,
              "values are taken as they lie in the file");

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMaxHeaderBytes = 1 << 16;
constexpr std::size_t kMaxDimensions = 32;  // numpy's own limit before 2.0
// Far above any array of ours; keeps products of shapes from overflowing.
constexpr std::size_t kMaxValues = std::size_t{1} << 40;

// Reads the Python literal of a header: a dict of string, bool and tuple.
class HeaderScanner {
 public:
  explicit HeaderScanner(std::string_view text) : rest_(text) {}

  // Takes `token` if it comes next, after blanks.
  bool take(std::string_view token) {
    skip_blanks();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  void expect(std::string_view token) {
    if (!take(token)) fail();
  }

  std::string quoted() {
    skip_blanks();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"')) fail();
    const std::size_t end = rest_.find(rest_[0], 1);
    if (end == std::string_view::npos) fail();
    std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return text;
  }

  bool boolean() {
    if (take("True")) return true;
    expect("False");
    return false;
  }

  std::vector<std::size_t> tuple() {
    std::vector<std::size_t> numbers;
    expect("(");
    while (!take(")")) {
      numbers.push_back(number());
      if (take(")")) break;
      expect(",");
    }
    if (numbers.size() > kMaxDimensions) fail();
    return numbers;
  }

  [[noreturn]] static void fail() {
    throw FatalError("the header of the .npy array is not as numpy writes it");
  }

 private:
  void skip_blanks() {
    rest_.remove_prefix(
        std::min(rest_.find_first_not_of(" \n\t"), rest_.size()));
  }

  std::size_t number() {
    skip_blanks();
    std::size_t value = 0;
    const auto [end, error] =
        std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc()) fail();
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }

  std::string_view rest_;
};

void parse_header(std::string_view text, NpyArray& array) {
  HeaderScanner scanner(text);
  bool has_dtype = false;
  bool has_order = false;
  bool has_shape = false;
  scanner.expect("{");
  while (!scanner.take("}")) {
    const std::string key = scanner.quoted();
    scanner.expect(":");
    if (key == "descr") {
      if (scanner.take("[")) throw FatalError("records are not read");
      array.dtype = scanner.quoted();
      has_dtype = true;
    } else if (key == "fortran_order") {
      array.fortran_order = scanner.boolean();
      has_order = true;
    } else if (key == "shape") {
      array.shape = scanner.tuple();
      has_shape = true;
    } else {
      HeaderScanner::fail();
    }
    if (scanner.take("}")) break;
    scanner.expect(",");
  }
  if (!has_dtype || !has_order || !has_shape) HeaderScanner::fail();
}

// Bytes of one value; none for dtypes that are not read.
std::size_t value_size(std::string_view dtype) {
  constexpr std::pair<std::string_view, std::size_t> kSizes[] = {
      {"|b1", 1}, {"|u1", 1}, {"|i1", 1}, {"<u2", 2}, {"<i2", 2},
      {"<u4", 4}, {"<i4", 4}, {"<i8", 8}, {"<f4", 4}, {"<f8", 8}};
  for (const auto& [name, size] : kSizes) {
    if (name == dtype) return size;
  }
  return 0;
}

void check_shape(const NpyArray& array) {
  std::size_t product = 1;
  for (const std::size_t length : array.shape) {
    if (length != 0 && product > kMaxValues / length) {
      throw FatalError("the shape of the .npy array is too large");
    }
    product *= length;
  }
  const std::size_t size = value_size(array.dtype);
  const std::size_t found = array.bytes.size() - array.data_offset;
  if (size != 0 && found != product * size) {
    throw FatalError(
        fmt::format("the .npy array has {} bytes of data, expected {}", found,
                    product * size));
  }
}

template <typename To, typename From>
[[noreturn]] void refuse(const NpyArray& array) {
  throw FatalError(fmt::format(
      "values of dtype '{}' do not fit {} of {} bits", array.dtype,
      std::is_integral_v<To> ? "integers" : "floats", 8 * sizeof(To)));
}

template <typename To, typename From>
bool fits([[maybe_unused]] From value) {
  if constexpr (std::floating_point<To> && std::floating_point<From>) {
    return sizeof(To) >= sizeof(From);
  } else if constexpr (std::integral<To> && std::integral<From>) {
    return std::in_range<To>(value);
  } else if constexpr (std::floating_point<To>) {
    constexpr int kDigits = std::numeric_limits<To>::digits;
    if constexpr (std::numeric_limits<From>::digits <= kDigits) return true;
    constexpr std::int64_t kLimit = std::int64_t{1} << kDigits;
    // NOLINTNEXTLINE(bugprone-signed-char-misuse): a number, no character.
    const auto wide = static_cast<std::int64_t>(value);
    return wide >= -kLimit && wide <= kLimit;
  } else {
    return false;
  }
}

template <typename To, typename From>
std::vector<To> convert(const NpyArray& array) {
  std::vector<To> values(array.num_values());
  const std::byte* source = array.bytes.data() + array.data_offset;
  for (To& value : values) {
    From raw;
    std::memcpy(&raw, source, sizeof(From));
    source += sizeof(From);
    if (!fits<To>(raw)) refuse<To, From>(array);
    // NOLINTNEXTLINE(bugprone-signed-char-misuse): a number, no character.
    value = static_cast<To>(raw);
  }
  return values;
}

template <typename T>
std::vector<T> in_file_order(const NpyArray& array) {
  const std::string_view dtype = array.dtype;
  if (dtype == "|b1" || dtype == "|u1") return convert<T, std::uint8_t>(array);
  if (dtype == "|i1") return convert<T, std::int8_t>(array);
  if (dtype == "<u2") return convert<T, std::uint16_t>(array);
  if (dtype == "<i2") return convert<T, std::int16_t>(array);
  if (dtype == "<u4") return convert<T, std::uint32_t>(array);
  if (dtype == "<i4") return convert<T, std::int32_t>(array);
  if (dtype == "<i8") return convert<T, std::int64_t>(array);
  if (dtype == "<f4") return convert<T, float>(array);
  if (dtype == "<f8") return convert<T, double>(array);
  throw FatalError(fmt::format("values of dtype '{}' are not read", dtype));
}

// From first-index-fastest to last-index-fastest.
template <typename T>
std::vector<T> to_row_major(const std::vector<T>& values,
                            std::span<const std::size_t> shape) {
  std::vector<T> result;
  result.reserve(values.size());
  std::vector<std::size_t> index(shape.size(), 0);
  while (result.size() < values.size()) {
    std::size_t offset = 0;
    for (std::size_t d = shape.size(); d-- > 0;) {
      offset = offset * shape[d] + index[d];
    }
    result.push_back(values[offset]);
    for (std::size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d]) break;
      index[d] = 0;
    }
  }
  return result;
}

}  // namespace

std::size_t NpyArray::num_values() const {
  std::size_t product = 1;
  for (const std::size_t length : shape) product *= length;
  return product;
}

NpyArray parse_npy(std::vector<std::byte> bytes) {
  NpyArray array;
  array.bytes = std::move(bytes);
  const std::string_view text(reinterpret_cast<const char*>(array.bytes.data()),
                              array.bytes.size());
  constexpr std::size_t kVersionEnd = kMagic.size() + 2;
  if (!text.starts_with(kMagic) || text.size() < kVersionEnd + 4) {
    throw FatalError("expected a .npy array, which begins with \\x93NUMPY");
  }
  const int version = static_cast<unsigned char>(text[kMagic.size()]);
  if (version < 1 || version > 3) {
    throw FatalError(
        fmt::format("version {} of the .npy format is not known", version));
  }
  const std::size_t length_size = version == 1 ? 2 : 4;
  std::uint32_t header_size = 0;
  std::memcpy(&header_size, text.data() + kVersionEnd, length_size);
  const std::size_t header_start = kVersionEnd + length_size;
  if (header_size > kMaxHeaderBytes ||
      header_size > text.size() - header_start) {
    throw FatalError("the header of the .npy array is cut off");
  }
  array.data_offset = header_start + header_size;
  parse_header(text.substr(header_start, header_size), array);
  check_shape(array);
  return array;
}

template <typename T>
std::vector<T> npy_values(const NpyArray& array) {
  std::vector<T> values = in_file_order<T>(array);
  if (!array.fortran_order || array.shape.size() < 2) return values;
  return to_row_major(values, array.shape);
}

template std::vector<float> npy_values(const NpyArray& array);
template std::vector<double> npy_values(const NpyArray& array);
template std::vector<std::int8_t> npy_values(const NpyArray& array);
template std::vector<std::int16_t> npy_values(const NpyArray& array);
template std::vector<std::int32_t> npy_values(const NpyArray& array);
template std::vector<std::int64_t> npy_values(const NpyArray& array);
template std::vector<std::uint8_t> npy_values(const NpyArray& array);

}  // namespace diarize
