#pragma once

#include "io/decoder.h"

#include <cstddef>
#include <span>
#include <vector>

namespace diarize {

// What the program and a decoder process say to each other, over one socket:
//
//   program  -> process   kRequest, with the descriptor of the file
//   process  -> program   kSamples, any number of times; then
//                         kReport, or kRefusal or kUnreadable where the file
//                         cannot be done
//
// and so on with the next file. A message is its kind and its size, 4 bytes
// each, then its payload. To the process the socket is descriptor 3.
enum class MessageKind : std::uint32_t {
  kRequest = 1,     // DecodeOptions
  kSamples = 2,     // float32, 16 kHz mono; none as a sign of life
  kReport = 3,      // DecodeReport
  kRefusal = 4,     // the text of an InputError
  kUnreadable = 5,  // the text of an UnreadableError
};

inline constexpr int kDecoderSocket = 3;

// No payload is longer.
inline constexpr std::size_t kMaxPayloadBytes = 1 << 18;

[[nodiscard]] std::vector<std::byte> encode_options(
    const DecodeOptions& options);
[[nodiscard]] std::vector<std::byte> encode_report(const DecodeReport& report);

// Both throw InputError for bytes that are no such thing.
[[nodiscard]] DecodeOptions parse_options(std::span<const std::byte> payload);
[[nodiscard]] DecodeReport parse_report(std::span<const std::byte> payload);

}  // namespace diarize
