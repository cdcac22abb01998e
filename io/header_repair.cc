#include "io/header_repair.h"

#include "io/data_chunk.h"
#include "io/patched_bytes.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace diarize {

namespace {

constexpr std::int64_t kWrap = std::int64_t{1} << 32;
// Longer than any stream, short enough to add to.
constexpr std::int64_t kEndless = std::int64_t{1} << 60;

bool is_wav(ChunkContainer container) {
  return container == ChunkContainer::kRiff ||
         container == ChunkContainer::kRifx ||
         container == ChunkContainer::kRf64;
}

// Sizes that stand for "not known": whoever writes them rounds the largest
// number of 31 or 32 bits to whole frames and buffers, or leaves 0.
bool is_placeholder(std::int64_t size) {
  constexpr std::int64_t kSlack = 1 << 16;
  const auto near = [&](std::int64_t value) {
    return size > value - kSlack && size < value + kSlack;
  };
  return size == 0 || near(0x7F000000) || near(kWrap / 2) || near(kWrap);
}

// Whether the header leaves the size open. In 64 bits that is all ones, of
// which a container may have taken off what it counts beside the samples.
bool is_open(const DataChunk& data) {
  constexpr auto kLargest = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kSlack = 64;
  const std::int64_t declared = data.declared_bytes;
  switch (data.container) {
    case ChunkContainer::kRf64:
      return declared == 0 || declared == kWrap - 1 || declared == kLargest;
    case ChunkContainer::kCaf:
    case ChunkContainer::kW64:
      return declared < 0 || declared > kLargest - kSlack;
    default:
      return is_placeholder(declared);
  }
}

std::vector<std::byte> number_bytes(std::int64_t value, int width,
                                    bool big_endian) {
  std::vector<std::byte> bytes;
  bytes.reserve(static_cast<std::size_t>(width));
  for (int place = 0; place < width; ++place) {
    bytes.push_back(static_cast<std::byte>(value >> (8 * place)));
  }
  if (big_endian) std::ranges::reverse(bytes);
  return bytes;
}

// See header_repair.h for why 8 and 0.
std::vector<Patch> unfinished_wav(const DataChunk& data) {
  const bool big_endian = data.container == ChunkContainer::kRifx;
  std::vector<Patch> patches = {{4, number_bytes(8, 4, big_endian)},
                                {data.size_field, number_bytes(0, 4, false)}};
  if (data.container == ChunkContainer::kRf64) {
    patches.push_back(
        {0, {std::byte{'R'}, std::byte{'I'}, std::byte{'F'}, std::byte{'F'}}});
  }
  return patches;
}

RepairedBytes patched_wav(std::unique_ptr<ByteSource> bytes,
                          const DataChunk& data, std::int64_t data_bytes) {
  RepairedBytes repaired;
  repaired.bytes = std::make_unique<PatchedBytes>(
      std::move(bytes), unfinished_wav(data), data.offset + data_bytes);
  if (data.linear) repaired.header_end = data.offset;
  return repaired;
}

// Bytes of samples in a WAV whose size cannot be meant; none if it can.
std::optional<std::int64_t> recovered_bytes(ByteSource& bytes,
                                            const DataChunk& data,
                                            std::int64_t there) {
  const std::int64_t declared = data.declared_bytes;
  if (declared == 0 &&
      whole_chunks_follow(bytes, data.offset, data.offset + there)) {
    return std::nullopt;
  }
  if (is_open(data)) return there;
  if (data.container != ChunkContainer::kRf64 && there >= declared + kWrap) {
    return declared + (there - declared) / kWrap * kWrap;
  }
  return std::nullopt;
}

// Where what follows the samples begins.
std::int64_t end_of_samples(const DataChunk& data) {
  const std::int64_t end = data.offset + data.declared_bytes;
  return end + (data.alignment - end % data.alignment) % data.alignment;
}

// Bytes behind the samples that are no chunks, in a file that counts fewer
// samples than it may hold: a recorder that stopped before it had the last
// word, or files put one behind the other. A little padding is not worth a
// word.
std::int64_t surplus_bytes(ByteSource& bytes, const DataChunk& data,
                           std::int64_t there) {
  constexpr std::int64_t kPadding = 1 << 12;
  if (is_open(data)) return 0;
  const std::int64_t surplus = there - data.declared_bytes;
  if (surplus <= kPadding) return 0;
  const bool chunks =
      whole_chunks_follow(bytes, end_of_samples(data), data.offset + there);
  return chunks ? 0 : surplus;
}

// Where the chunks behind the samples end.
std::int64_t end_of_chunks_behind(ByteSource& bytes, const DataChunk& data,
                                  std::int64_t size) {
  return end_of_whole_chunks(bytes, size, std::min(end_of_samples(data), size));
}

// libsndfile follows a `LIST` that claims 4 GiB for minutes, in a file of any
// size, so what is no whole chunk is not shown to it.
std::unique_ptr<ByteSource> ended_at(std::unique_ptr<ByteSource> bytes,
                                     std::int64_t size, std::int64_t end) {
  if (end >= size) return bytes;
  return std::make_unique<PatchedBytes>(std::move(bytes), std::vector<Patch>{},
                                        end);
}

// What to write into the size of the samples where libsndfile would stumble
// over what is there; none where it does not.
std::optional<std::vector<std::byte>> corrected_size(const DataChunk& data,
                                                     std::int64_t there,
                                                     bool cut) {
  switch (data.container) {
    case ChunkContainer::kCaf:  // counts four bytes that lie before
      if (cut || data.declared_bytes < 0) {
        return number_bytes(there + 4, 8, true);
      }
      break;
    case ChunkContainer::kW64:  // counts its own header
      if (cut) return number_bytes(there + 24, 8, false);
      break;
    case ChunkContainer::kAu:
      if (data.declared_bytes == 0) return number_bytes(-1, 4, true);
      break;
    default:
      break;
  }
  return std::nullopt;
}

}  // namespace

RepairedBytes repair_header(std::unique_ptr<ByteSource> bytes) {
  RepairedBytes repaired;
  const std::int64_t size = bytes->size().value_or(0);
  const auto data = find_data_chunk(*bytes, size);
  const std::int64_t there = data ? size - data->offset : 0;
  if (there <= 0) {
    const std::int64_t end = data ? size : end_of_whole_chunks(*bytes, size);
    repaired.bytes = ended_at(std::move(bytes), size, end);
    return repaired;
  }
  const std::int64_t declared = data->declared_bytes;
  if (is_wav(data->container)) {
    if (const auto recovered = recovered_bytes(*bytes, *data, there)) {
      return patched_wav(std::move(bytes), *data, *recovered);
    }
  }
  const bool cut = declared > there;
  std::int64_t end = size;
  repaired.surplus_bytes = surplus_bytes(*bytes, *data, there);
  if (is_wav(data->container) && !cut) {
    end = end_of_chunks_behind(*bytes, *data, size);
  }
  repaired.bytes = ended_at(std::move(bytes), size, end);
  if (auto size_of_rest = corrected_size(*data, there, cut)) {
    std::vector<Patch> patches;
    patches.push_back({data->size_field, std::move(*size_of_rest)});
    repaired.bytes = std::make_unique<PatchedBytes>(
        std::move(repaired.bytes), std::move(patches), std::nullopt);
  }
  if (cut && !is_open(*data)) {
    repaired.promised_share =
        static_cast<double>(declared) / static_cast<double>(there);
  }
  return repaired;
}

std::optional<RepairedBytes> repair_stream(std::unique_ptr<ByteSource>& bytes,
                                           std::int64_t head_bytes) {
  const auto data = find_data_chunk(*bytes, head_bytes);
  if (!data || !is_wav(data->container) || !data->linear) return std::nullopt;
  const std::int64_t data_bytes =
      is_open(*data) ? kEndless : std::min(data->declared_bytes, kEndless);
  return patched_wav(std::move(bytes), *data, data_bytes);
}

}  // namespace diarize
