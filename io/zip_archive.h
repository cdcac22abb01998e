#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct zip;

namespace diarize {

// One file in a zip archive, as the central directory describes it.
struct ZipEntry {
  std::string name;
  std::uint64_t index = 0;
  std::uint64_t size = 0;             // bytes, uncompressed
  std::uint64_t compressed_size = 0;  // bytes
  bool stored = false;                // not compressed, not encrypted
};

// A zip archive opened for reading, by libzip: checkpoints of torch.save and
// arrays of numpy.savez are such archives. zip64 is understood.
//
// Nothing the archive says is trusted: a size above `max_entry_bytes`, or one
// that its compressed bytes cannot yield, is refused before memory is taken,
// and the CRC-32 of every entry read is checked. All errors are FatalError, in
// one line, without the path. Not thread safe.
class ZipArchive {
 public:
  static constexpr std::uint64_t kMaxEntries = 1 << 20;
  static constexpr std::uint64_t kMaxEntryBytes = std::uint64_t{1} << 30;

  // Reads the directory. Throws FatalError if the file cannot be read, is no
  // zip archive or is cut off.
  explicit ZipArchive(const std::filesystem::path& path,
                      std::uint64_t max_entry_bytes = kMaxEntryBytes);

  // In the order of the directory.
  [[nodiscard]] std::span<const ZipEntry> entries() const { return entries_; }

  // The entry of that name, if there is one; of equal names the first. Owned
  // by the archive. Cost: logarithmic in the number of entries.
  [[nodiscard]] const ZipEntry* find(std::string_view name) const;

  // Size of the whole file in bytes.
  [[nodiscard]] std::uint64_t file_size() const { return file_size_; }

  // Reads an entry into memory of exactly its size. Throws FatalError if the
  // entry is cut off or its checksum differs, std::logic_error if the memory
  // does not fit.
  void read(const ZipEntry& entry, std::span<std::byte> bytes) const;

  // The same, into memory of its own.
  [[nodiscard]] std::vector<std::byte> read(const ZipEntry& entry) const;

 private:
  struct Closer {
    void operator()(zip* archive) const;
  };

  void check_size(const ZipEntry& entry) const;

  std::unique_ptr<zip, Closer> archive_;
  std::vector<ZipEntry> entries_;
  std::vector<std::size_t> by_name_;  // indices into entries_, sorted by name
  std::uint64_t file_size_ = 0;
  std::uint64_t max_entry_bytes_ = 0;
};

}  // namespace diarize
