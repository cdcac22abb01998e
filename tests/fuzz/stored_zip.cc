#include "tests/fuzz/stored_zip.h"

#include <cstdint>

namespace diarize::test {

namespace {

using Bytes = std::vector<std::byte>;

// CRC-32 of ISO 3309, bit by bit.
std::uint32_t crc32(std::span<const std::byte> bytes) {
  std::uint32_t crc = 0xFFFFFFFFU;
  for (const std::byte byte : bytes) {
    crc ^= static_cast<std::uint32_t>(byte);
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0xEDB88320U : 0U);
    }
  }
  return ~crc;
}

void put(Bytes& bytes, std::size_t value, int width) {
  for (int place = 0; place < width; ++place) {
    bytes.push_back(static_cast<std::byte>(value >> (8 * place)));
  }
}

void put(Bytes& bytes, std::span<const std::byte> more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
}

// What the local header and the directory say alike of a file.
void put_facts(Bytes& bytes, const StoredFile& file) {
  put(bytes, 20, 2);          // version 2.0 can read it
  put(bytes, 0, 4);           // no flags, no compression
  put(bytes, 0x00210000, 4);  // 1980-01-01
  put(bytes, crc32(file.bytes), 4);
  put(bytes, file.bytes.size(), 4);
  put(bytes, file.bytes.size(), 4);
  put(bytes, file.name.size(), 2);
  put(bytes, 0, 2);  // no extra field
}

}  // namespace

std::vector<std::byte> stored_zip(const std::vector<StoredFile>& files) {
  Bytes bytes;
  Bytes directory;
  for (const StoredFile& file : files) {
    const std::size_t offset = bytes.size();
    const auto name = std::as_bytes(std::span(file.name));
    put(bytes, 0x04034B50, 4);
    put_facts(bytes, file);
    put(bytes, name);
    put(bytes, file.bytes);
    put(directory, 0x02014B50, 4);
    put(directory, 20, 2);  // made by version 2.0
    put_facts(directory, file);
    put(directory, 0, 8);  // no comment, disk 0, no attributes
    put(directory, 0, 2);
    put(directory, offset, 4);
    put(directory, name);
  }
  const std::size_t directory_offset = bytes.size();
  put(bytes, directory);
  put(bytes, 0x06054B50, 4);
  put(bytes, 0, 4);  // disk 0 of 0
  put(bytes, files.size(), 2);
  put(bytes, files.size(), 2);
  put(bytes, directory.size(), 4);
  put(bytes, directory_offset, 4);
  put(bytes, 0, 2);
  return bytes;
}

}  // namespace diarize::test
