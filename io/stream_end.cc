#include "io/stream_end.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace diarize {

namespace {

// Bytes of a file in which the first frame of an MP3 is looked for.
constexpr std::size_t kMp3HeadBytes = 1 << 12;
constexpr std::size_t kOggHeaderBytes = 27;
// Where bytes are no page, the next is looked for in portions of this size.
constexpr std::size_t kOggSearchBytes = 1 << 16;

using Bytes = std::string;

Bytes read_bytes(ByteSource& source, std::int64_t offset, std::size_t count) {
  Bytes bytes(count, '\0');
  bytes.resize(
      source.read_at(offset, std::as_writable_bytes(std::span(bytes))));
  return bytes;
}

unsigned byte_at(std::string_view bytes, std::size_t place) {
  return static_cast<unsigned char>(bytes[place]);
}

std::int64_t big_endian(std::string_view bytes) {
  std::int64_t value = 0;
  for (const char byte : bytes) {
    value = value << 8 | static_cast<unsigned char>(byte);
  }
  return value;
}

// Bytes of the ID3v2 tag at the beginning, 0 if there is none.
std::int64_t id3_bytes(ByteSource& source) {
  const Bytes head = read_bytes(source, 0, 10);
  if (head.size() < 10 || !head.starts_with("ID3")) return 0;
  std::int64_t size = 0;
  for (std::size_t place = 6; place < 10; ++place) {
    size = size << 7 | (byte_at(head, place) & 0x7FU);
  }
  return size + 10;
}

Bytes first_mp3_frame(ByteSource& source) {
  return read_bytes(source, id3_bytes(source), kMp3HeadBytes);
}

struct OggPage {
  std::int64_t end = 0;  // offset of the next page
  bool begins_stream = false;
  bool ends_stream = false;
};

// The page at `offset`; none if there is no whole header.
std::optional<OggPage> ogg_page(ByteSource& source, std::int64_t offset) {
  const Bytes header = read_bytes(source, offset, kOggHeaderBytes);
  if (header.size() < kOggHeaderBytes || !header.starts_with("OggS")) {
    return std::nullopt;
  }
  const std::size_t num_segments = byte_at(header, 26);
  const auto table_offset = offset + static_cast<std::int64_t>(kOggHeaderBytes);
  const Bytes segments = read_bytes(source, table_offset, num_segments);
  OggPage page;
  page.end = table_offset + std::ssize(segments);
  for (const char segment : segments) {
    page.end += static_cast<unsigned char>(segment);
  }
  page.begins_stream = (byte_at(header, 5) & 2U) != 0;
  page.ends_stream = (byte_at(header, 5) & 4U) != 0;
  return page;
}

// Offset of the next page from `offset` on, none if there is none.
std::optional<std::int64_t> find_ogg_page(ByteSource& source,
                                          std::int64_t offset) {
  if (read_bytes(source, offset, 4) == "OggS") return offset;
  for (;;) {
    const Bytes bytes = read_bytes(source, offset, kOggSearchBytes);
    if (const auto place = bytes.find("OggS"); place != bytes.npos) {
      return offset + static_cast<std::int64_t>(place);
    }
    if (bytes.size() < kOggSearchBytes) return std::nullopt;
    offset += static_cast<std::int64_t>(bytes.size() - 3);
  }
}

}  // namespace

OggEnd inspect_ogg(ByteSource& source) {
  OggEnd end;
  bool in_data = false;  // past the pages that begin the first streams
  const std::int64_t size = source.size().value_or(0);
  std::int64_t offset = 0;
  while (const auto place = find_ogg_page(source, offset)) {
    const auto page = ogg_page(source, *place);
    if (!page) break;
    end.marked = page->ends_stream && page->end <= size;
    if (page->begins_stream && in_data) end.chained = true;
    in_data = in_data || !page->begins_stream;
    offset = page->end;
  }
  return end;
}

bool mp3_states_length(ByteSource& source) {
  const Bytes frame = first_mp3_frame(source);
  return std::ranges::any_of(
      std::array{"Xing", "Info", "VBRI"},
      [&](const char* tag) { return frame.find(tag) != frame.npos; });
}

std::int64_t mp3_surplus_bytes(ByteSource& source) {
  const Bytes frame = first_mp3_frame(source);
  const auto xing = std::min(frame.find("Xing"), frame.find("Info"));
  if (xing == frame.npos || frame.size() < xing + 16) return 0;
  const bool has_frames = (byte_at(frame, xing + 7) & 1U) != 0;
  const bool has_bytes = (byte_at(frame, xing + 7) & 2U) != 0;
  if (!has_bytes) return 0;
  const std::int64_t stated = big_endian(
      std::string_view(frame).substr(xing + (has_frames ? 12 : 8), 4));
  const std::int64_t surplus =
      source.size().value_or(0) - id3_bytes(source) - stated;
  return surplus > kMaxTagBytes ? surplus : 0;
}

}  // namespace diarize
