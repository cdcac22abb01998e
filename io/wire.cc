#include "io/wire.h"

#include "core/error.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace diarize {

namespace {

template <typename T>
void append(std::vector<std::byte>& bytes, const T& value) {
  std::ranges::copy(std::as_bytes(std::span(&value, 1)),
                    std::back_inserter(bytes));
}

template <typename T>
T copy_of(std::span<const std::byte> bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

}  // namespace

void WireWriter::put(std::int64_t value) { append(bytes_, value); }

void WireWriter::put(double value) { append(bytes_, value); }

void WireWriter::put(const std::string& value) {
  put(static_cast<std::int64_t>(value.size()));
  std::ranges::copy(std::as_bytes(std::span(value)),
                    std::back_inserter(bytes_));
}

void WireWriter::put(const std::optional<double>& value) {
  put(std::int64_t{value.has_value()});
  put(value.value_or(0.0));
}

void WireWriter::put(const std::optional<int>& value) {
  put(std::int64_t{value.has_value()});
  put(std::int64_t{value.value_or(0)});
}

std::span<const std::byte> WireReader::take(std::size_t count) {
  if (count > bytes_.size()) {
    throw InputError("the decoder process sent a message that ends too early");
  }
  const auto taken = bytes_.first(count);
  bytes_ = bytes_.subspan(count);
  return taken;
}

std::int64_t WireReader::get_integer() {
  return copy_of<std::int64_t>(take(sizeof(std::int64_t)));
}

double WireReader::get_double() {
  return copy_of<double>(take(sizeof(double)));
}

std::string WireReader::get_string() {
  const auto size = static_cast<std::uint64_t>(get_integer());
  std::string value;
  std::ranges::transform(
      take(size), std::back_inserter(value),
      [](std::byte byte) { return static_cast<char>(byte); });
  return value;
}

std::optional<double> WireReader::get_optional_double() {
  const bool there = get_integer() != 0;
  const double value = get_double();
  return there ? std::optional(value) : std::nullopt;
}

std::optional<int> WireReader::get_optional_int() {
  const bool there = get_integer() != 0;
  const auto value = static_cast<int>(get_integer());
  return there ? std::optional(value) : std::nullopt;
}

}  // namespace diarize
