#include "io/length_estimate.h"

#include "io/file_descriptor.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace diarize {

namespace {

// Chunks before the samples, such as tags, are mostly within this.
constexpr std::size_t kHeadBytes = 4096;

// Bytes a second of what lossy codecs are mostly used at, 128 kbit/s, and of
// lossless and plain samples whose header says nothing: CD quality.
constexpr double kLossyBytesPerSecond = 16'000;
constexpr double kPlainBytesPerSecond = 176'400;

// Nothing lasts longer than this, whatever its header says: FLAC of silence
// takes some 50 bytes a second.
constexpr double kFewestBytesPerSecond = 10;

using Head = std::vector<std::uint8_t>;

std::string_view text_at(const Head& head, std::size_t place,
                         std::size_t size) {
  if (place + size > head.size()) return {};
  return {reinterpret_cast<const char*>(head.data()) + place, size};
}

// An unsigned number of `size` bytes, most significant first; 0 beyond the end.
std::uint64_t big_endian(const Head& head, std::size_t place,
                         std::size_t size) {
  if (place + size > head.size()) return 0;
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i) value = value << 8 | head[place + i];
  return value;
}

std::uint64_t little_endian(const Head& head, std::size_t place,
                            std::size_t size) {
  if (place + size > head.size()) return 0;
  std::uint64_t value = 0;
  for (std::size_t i = size; i-- > 0;) value = value << 8 | head[place + i];
  return value;
}

// Where the content of a chunk begins, in files of chunks that follow 12 bytes.
std::optional<std::size_t> find_chunk(const Head& head, std::string_view name,
                                      bool is_big_endian) {
  for (std::size_t place = 12; place + 8 <= head.size();) {
    if (text_at(head, place, 4) == name) return place + 8;
    const std::uint64_t size = is_big_endian
                                   ? big_endian(head, place + 4, 4)
                                   : little_endian(head, place + 4, 4);
    if (size > head.size()) break;
    place += 8 + static_cast<std::size_t>(size + size % 2);
  }
  return std::nullopt;
}

// None if there is no sense in it.
std::optional<LengthEstimate> estimate(double amount, double per_second,
                                       std::uint64_t num_channels) {
  if (!(amount > 0.0) || !(per_second > 0.0) || num_channels < 1) return {};
  return LengthEstimate{amount / per_second, static_cast<int>(num_channels)};
}

std::optional<LengthEstimate> wav_length(const Head& head, double num_bytes) {
  const auto format = find_chunk(head, "fmt ", false);
  if (!format) return std::nullopt;
  const auto samples = find_chunk(head, "data", false);
  const double header_bytes =
      static_cast<double>(samples.value_or(*format + 16));
  return estimate(num_bytes - header_bytes,
                  static_cast<double>(little_endian(head, *format + 8, 4)),
                  little_endian(head, *format + 2, 2));
}

// The rate is an 80-bit float: 15 bits of exponent, then the mantissa.
std::optional<LengthEstimate> aiff_length(const Head& head) {
  const auto common = find_chunk(head, "COMM", true);
  if (!common) return std::nullopt;
  const auto exponent =
      static_cast<int>(big_endian(head, *common + 8, 2) & 0x7FFFU);
  const auto mantissa = static_cast<double>(big_endian(head, *common + 10, 8));
  return estimate(static_cast<double>(big_endian(head, *common + 2, 4)),
                  std::ldexp(mantissa, exponent - 16383 - 63),
                  big_endian(head, *common, 2));
}

// STREAMINFO: 20 bits of rate, 3 of channels less one, 5 of sample size, 36 of
// samples.
std::optional<LengthEstimate> flac_length(const Head& head) {
  const std::uint64_t fields = big_endian(head, 18, 8);
  return estimate(static_cast<double>(fields & 0xF'FFFF'FFFFU),
                  static_cast<double>(fields >> 44), (fields >> 41 & 7U) + 1);
}

LengthEstimate length_of(const Head& head, double num_bytes) {
  std::optional<LengthEstimate> found;
  double usual_rate = kLossyBytesPerSecond;
  if (text_at(head, 8, 4) == "WAVE") {
    found = wav_length(head, num_bytes);
    usual_rate = kPlainBytesPerSecond;
  } else if (text_at(head, 0, 4) == "FORM") {
    found = aiff_length(head);
    usual_rate = kPlainBytesPerSecond;
  } else if (text_at(head, 0, 4) == "fLaC") {
    found = flac_length(head);
    usual_rate = kPlainBytesPerSecond / 2;
  }
  if (!found) return {num_bytes / usual_rate, 1};
  found->seconds = std::min(found->seconds, num_bytes / kFewestBytesPerSecond);
  return *found;
}

}  // namespace

LengthEstimate estimate_length(const std::filesystem::path& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  // Opening waits for nobody, should it have become a pipe meanwhile.
  const FileDescriptor file(
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.number() < 0) return {};
  Head head(kHeadBytes);
  const ssize_t count = ::pread(file.number(), head.data(), head.size(), 0);
  head.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  return length_of(head, static_cast<double>(status.st_size));
}

}  // namespace diarize
