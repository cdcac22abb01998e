#include "io/zip_archive.h"

#include "core/error.h"

#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace diarize {
namespace {

// No deflate stream yields more than 1032 bytes a byte (zlib, "Technical
// Details"); the rest is for tiny entries.
constexpr std::uint64_t kMaxInflation = 1032;
constexpr std::uint64_t kInflationSlack = 1024;

std::string open_error(int code) {
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  std::string text = zip_error_strerror(&error);
  zip_error_fini(&error);
  return text;
}

std::uint64_t regular_file_size(const std::filesystem::path& path) {
  std::error_code code;
  const auto status = std::filesystem::status(path, code);
  if (!std::filesystem::exists(status)) throw FatalError("no such file");
  if (!std::filesystem::is_regular_file(status)) {
    throw FatalError("is not a file");
  }
  const std::uint64_t size = std::filesystem::file_size(path, code);
  if (code) throw FatalError("cannot be read: " + code.message());
  return size;
}

ZipEntry describe(zip* archive, std::uint64_t index) {
  zip_stat_t stat;
  zip_stat_init(&stat);
  constexpr std::uint64_t kNeeded =
      ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
  if (zip_stat_index(archive, index, 0, &stat) != 0 ||
      (stat.valid & kNeeded) != kNeeded) {
    throw FatalError(
        fmt::format("entry {} of the zip directory is damaged", index));
  }
  const bool encrypted = (stat.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 &&
                         stat.encryption_method != ZIP_EM_NONE;
  return {stat.name, index, stat.size, stat.comp_size,
          stat.comp_method == ZIP_CM_STORE && !encrypted};
}

}  // namespace

void ZipArchive::Closer::operator()(zip* archive) const {
  zip_discard(archive);
}

ZipArchive::ZipArchive(const std::filesystem::path& path,
                       std::uint64_t max_entry_bytes)
    : file_size_(regular_file_size(path)), max_entry_bytes_(max_entry_bytes) {
  if (file_size_ == 0) throw FatalError("is empty, expected a zip archive");
  int code = 0;
  archive_.reset(zip_open(path.c_str(), ZIP_RDONLY, &code));
  if (archive_ == nullptr) {
    throw FatalError("expected a zip archive: " + open_error(code));
  }
  const auto count =
      static_cast<std::uint64_t>(zip_get_num_entries(archive_.get(), 0));
  if (count > kMaxEntries) {
    throw FatalError(
        fmt::format("the zip archive lists {} entries, expected at most {}",
                    count, kMaxEntries));
  }
  entries_.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    entries_.push_back(describe(archive_.get(), i));
  }
  by_name_.resize(count);
  std::iota(by_name_.begin(), by_name_.end(), std::size_t{0});
  std::ranges::sort(by_name_, {}, [this](std::size_t i) {
    return std::pair(std::string_view(entries_[i].name), i);
  });
}

const ZipEntry* ZipArchive::find(std::string_view name) const {
  const auto found = std::ranges::lower_bound(
      by_name_, name, {},
      [this](std::size_t i) { return std::string_view(entries_[i].name); });
  if (found == by_name_.end() || entries_[*found].name != name) return nullptr;
  return &entries_[*found];
}

void ZipArchive::check_size(const ZipEntry& entry) const {
  if (entry.size > max_entry_bytes_) {
    throw FatalError(fmt::format("entry '{}' has {} bytes, expected at most {}",
                                 entry.name, entry.size, max_entry_bytes_));
  }
  const std::uint64_t available = std::min(entry.compressed_size, file_size_);
  const std::uint64_t most =
      entry.stored ? available : available * kMaxInflation + kInflationSlack;
  if (entry.size > most) {
    throw FatalError(fmt::format(
        "entry '{}' has {} bytes, but its {} bytes in the archive cannot "
        "hold them",
        entry.name, entry.size, available));
  }
}

void ZipArchive::read(const ZipEntry& entry, std::span<std::byte> bytes) const {
  if (bytes.size() != entry.size) {
    throw std::logic_error("ZipArchive: the memory is not of the entry's size");
  }
  check_size(entry);
  const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> file(
      zip_fopen_index(archive_.get(), entry.index, 0), &zip_fclose);
  if (file == nullptr) {
    throw FatalError(fmt::format("entry '{}' cannot be opened: {}", entry.name,
                                 zip_strerror(archive_.get())));
  }
  std::size_t done = 0;
  std::int64_t got = 0;
  while (done < bytes.size() &&
         (got = zip_fread(file.get(), bytes.data() + done,
                          bytes.size() - done)) > 0) {
    done += static_cast<std::size_t>(got);
  }
  // libzip checks the checksum when it meets the end.
  std::byte beyond{};
  if (got >= 0) got = zip_fread(file.get(), &beyond, 1);
  if (got < 0) {
    throw FatalError(fmt::format("entry '{}' is damaged: {}", entry.name,
                                 zip_file_strerror(file.get())));
  }
  if (done != bytes.size() || got != 0) {
    throw FatalError(fmt::format("entry '{}' does not have {} bytes",
                                 entry.name, entry.size));
  }
}

std::vector<std::byte> ZipArchive::read(const ZipEntry& entry) const {
  check_size(entry);
  std::vector<std::byte> bytes(entry.size);
  read(entry, bytes);
  return bytes;
}

}  // namespace diarize
