#include "io/data_chunk.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <string_view>

namespace diarize {

namespace {

constexpr int kMaxChunks = 4096;

// How one container writes its chunks: an id, then a size.
struct Grammar {
  ChunkContainer container;
  std::string_view magic;  // at byte 0
  std::string_view form;   // at byte form_offset
  int form_offset;
  int first_chunk;       // where the first chunk begins
  int id_bytes;          // of an id, of which the first four are compared
  int size_bytes;        // of a size
  bool big_endian;       // sizes
  bool includes_header;  // a size counts the id and itself
  int alignment;         // of the chunks
  std::string_view data_id;
  int data_skip;  // bytes between the size and the first sample
};

constexpr std::array<Grammar, 7> kGrammars = {{
    {ChunkContainer::kRiff, "RIFF", "WAVE", 8, 12, 4, 4, false, false, 2,
     "data", 0},
    {ChunkContainer::kRifx, "RIFX", "WAVE", 8, 12, 4, 4, true, false, 2, "data",
     0},
    {ChunkContainer::kRf64, "RF64", "WAVE", 8, 12, 4, 4, false, false, 2,
     "data", 0},
    {ChunkContainer::kAiff, "FORM", "AIFF", 8, 12, 4, 4, true, false, 2, "SSND",
     8},
    {ChunkContainer::kAiff, "FORM", "AIFC", 8, 12, 4, 4, true, false, 2, "SSND",
     8},
    {ChunkContainer::kCaf, "caff", "", 0, 8, 4, 8, true, false, 1, "data", 4},
    {ChunkContainer::kW64, "riff", "wave", 24, 40, 16, 8, false, true, 8,
     "data", 0},
}};

std::string read_text(ByteSource& bytes, std::int64_t offset, int count) {
  std::array<std::byte, 16> buffer{};
  const std::size_t found = bytes.read_at(
      offset, std::span(buffer).first(static_cast<std::size_t>(count)));
  std::string text;
  std::ranges::transform(
      std::span(buffer).first(found), std::back_inserter(text),
      [](std::byte byte) { return static_cast<char>(byte); });
  return text;
}

// An unsigned number of up to 8 bytes; the largest int64 where it is larger.
// 0 beyond the end.
std::int64_t read_number(ByteSource& bytes, std::int64_t offset, int width,
                         bool big_endian) {
  std::string text = read_text(bytes, offset, width);
  if (std::ssize(text) < width) return 0;
  if (!big_endian) std::ranges::reverse(text);
  std::uint64_t value = 0;
  for (const char byte : text) {
    value = value << 8U | static_cast<unsigned char>(byte);
  }
  constexpr auto kLargest = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(
      std::min<std::uint64_t>(value, static_cast<std::uint64_t>(kLargest)));
}

const Grammar* grammar_of(ByteSource& bytes) {
  for (const Grammar& grammar : kGrammars) {
    if (read_text(bytes, 0, 4) == grammar.magic &&
        read_text(bytes, grammar.form_offset,
                  static_cast<int>(grammar.form.size())) == grammar.form) {
      return &grammar;
    }
  }
  return nullptr;
}

struct Chunk {
  std::string id;
  std::int64_t size_field = 0;
  std::int64_t payload = 0;  // offset of its first byte
  std::int64_t bytes = 0;    // of payload, as declared
  std::int64_t next = 0;     // offset of the chunk after it
};

std::int64_t add_capped(std::int64_t a, std::int64_t b) {
  constexpr auto kLargest = std::numeric_limits<std::int64_t>::max() / 2;
  return std::min(a, kLargest) + std::min(b, kLargest);
}

Chunk read_chunk(ByteSource& bytes, const Grammar& grammar,
                 std::int64_t offset) {
  Chunk chunk;
  chunk.id = read_text(bytes, offset, 4);
  chunk.size_field = offset + grammar.id_bytes;
  chunk.payload = chunk.size_field + grammar.size_bytes;
  chunk.bytes = read_number(bytes, chunk.size_field, grammar.size_bytes,
                            grammar.big_endian);
  if (grammar.includes_header) {
    chunk.bytes -= grammar.id_bytes + grammar.size_bytes;
  }
  chunk.bytes = std::max<std::int64_t>(chunk.bytes, 0);
  const std::int64_t end = add_capped(chunk.payload, chunk.bytes);
  chunk.next =
      end + (grammar.alignment - end % grammar.alignment) % grammar.alignment;
  return chunk;
}

// WAVE_FORMAT_PCM, IEEE_FLOAT, ALAW, MULAW, EXTENSIBLE.
bool is_linear(std::int64_t format_tag) {
  constexpr std::array<std::int64_t, 5> kTags = {1, 3, 6, 7, 0xFFFE};
  return std::ranges::find(kTags, format_tag) != kTags.end();
}

DataChunk data_chunk(const Grammar& grammar, const Chunk& chunk) {
  DataChunk data;
  data.container = grammar.container;
  data.offset = chunk.payload + grammar.data_skip;
  data.size_field = chunk.size_field;
  data.alignment = grammar.alignment;
  data.declared_bytes =
      std::max<std::int64_t>(chunk.bytes - grammar.data_skip, 0);
  if (grammar.container == ChunkContainer::kCaf &&
      chunk.bytes == std::numeric_limits<std::int64_t>::max()) {
    data.declared_bytes = -1;
  }
  return data;
}

std::optional<DataChunk> find_au_data(ByteSource& bytes) {
  const std::string magic = read_text(bytes, 0, 4);
  if (magic != ".snd" && magic != "dns.") return std::nullopt;
  const bool big_endian = magic == ".snd";
  DataChunk data;
  data.container = ChunkContainer::kAu;
  data.offset = read_number(bytes, 4, 4, big_endian);
  data.size_field = 8;
  data.declared_bytes = read_number(bytes, 8, 4, big_endian);
  return data;
}

}  // namespace

std::optional<DataChunk> find_data_chunk(ByteSource& bytes,
                                         std::int64_t num_bytes) {
  const Grammar* grammar = grammar_of(bytes);
  if (grammar == nullptr) return find_au_data(bytes);
  bool linear = false;
  std::int64_t long_bytes = 0;  // what `ds64` says
  std::int64_t offset = grammar->first_chunk;
  for (int number = 0; number < kMaxChunks; ++number) {
    const std::int64_t header = grammar->id_bytes + grammar->size_bytes;
    if (offset + header > num_bytes) return std::nullopt;
    const Chunk chunk = read_chunk(bytes, *grammar, offset);
    if (chunk.id == grammar->data_id) {
      DataChunk data = data_chunk(*grammar, chunk);
      data.linear = linear;
      if (grammar->container == ChunkContainer::kRf64) {
        data.declared_bytes = long_bytes;
      }
      return data;
    }
    if (chunk.payload + 16 <= num_bytes) {
      if (chunk.id == "fmt ") {
        linear = is_linear(
            read_number(bytes, chunk.payload, 2, grammar->big_endian));
      }
      if (chunk.id == "ds64") {
        long_bytes = read_number(bytes, chunk.payload + 8, 8, false);
      }
    }
    offset = chunk.next;
  }
  return std::nullopt;
}

std::int64_t end_of_whole_chunks(ByteSource& bytes, std::int64_t num_bytes,
                                 std::optional<std::int64_t> from) {
  const Grammar* grammar = grammar_of(bytes);
  if (grammar == nullptr) return num_bytes;
  std::int64_t offset = from.value_or(grammar->first_chunk);
  for (int number = 0; number < kMaxChunks && offset < num_bytes; ++number) {
    const Chunk next = read_chunk(bytes, *grammar, offset);
    const bool printable = std::ranges::all_of(
        next.id, [](char letter) { return letter >= ' ' && letter <= '~'; });
    const bool again = next.id == grammar->magic || next.id == grammar->data_id;
    if (!printable || again || next.next > num_bytes) return offset;
    offset = next.next;
  }
  return num_bytes;
}

bool whole_chunks_follow(ByteSource& bytes, std::int64_t offset,
                         std::int64_t num_bytes) {
  return grammar_of(bytes) != nullptr && offset <= num_bytes &&
         end_of_whole_chunks(bytes, num_bytes, offset) == num_bytes;
}

}  // namespace diarize
