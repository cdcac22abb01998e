#include "io/npz.h"

#include "core/error.h"
#include "io/one_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>

namespace diarize {
namespace {

constexpr std::string_view kSuffix = ".npy";

// The whole file, if it begins as a .npy file does.
std::optional<std::vector<std::byte>> read_if_npy(
    const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (file.get() != 0x93) return std::nullopt;
  const std::uint64_t size = std::filesystem::file_size(path);
  if (size > ZipArchive::kMaxEntryBytes) {
    throw FatalError(fmt::format("has {} bytes, expected at most {}", size,
                                 ZipArchive::kMaxEntryBytes));
  }
  std::vector<std::byte> bytes(size);
  file.seekg(0);
  file.read(reinterpret_cast<char*>(bytes.data()),
            static_cast<std::streamsize>(size));
  if (!file) throw FatalError("cannot be read");
  return bytes;
}

}  // namespace

NpzFile::NpzFile(const std::filesystem::path& path) : path_(path) {
  try {
    if (auto bytes = read_if_npy(path)) {
      single_ = parse_npy(std::move(*bytes));
    } else {
      archive_.emplace(path);
    }
  } catch (const FatalError& error) {
    throw FatalError(path.string() + ": " + one_line(error.what()));
  }
}

std::vector<std::string> NpzFile::names() const {
  if (!archive_) return {path_.stem().string()};
  std::vector<std::string> names;
  for (const ZipEntry& entry : archive_->entries()) {
    if (!entry.name.ends_with(kSuffix)) continue;
    names.push_back(entry.name.substr(0, entry.name.size() - kSuffix.size()));
  }
  return names;
}

bool NpzFile::has(std::string_view name) const {
  if (!archive_) return path_.stem().string() == name;
  return archive_->find(fmt::format("{}{}", name, kSuffix)) != nullptr;
}

std::vector<std::size_t> NpzFile::shape(std::string_view name) const {
  return load(name).shape;
}

std::string NpzFile::dtype(std::string_view name) const {
  return load(name).dtype;
}

NpyArray NpzFile::load(std::string_view name) const {
  if (!has(name)) {
    fail(name, fmt::format("is missing; the file holds {}",
                           fmt::join(names(), ", ")));
  }
  if (!archive_) return single_;
  try {
    return parse_npy(
        archive_->read(*archive_->find(fmt::format("{}{}", name, kSuffix))));
  } catch (const FatalError& error) {
    fail(name, error.what());
  }
}

template <typename T>
std::vector<T> NpzFile::convert(std::string_view name,
                                const NpyArray& raw) const {
  try {
    return npy_values<T>(raw);
  } catch (const FatalError& error) {
    fail(name, error.what());
  }
}

void NpzFile::refuse_rank(std::string_view name, std::size_t expected,
                          const std::vector<std::size_t>& found) const {
  fail(name, fmt::format("has shape ({}), expected {} dimensions",
                         fmt::join(found, ", "), expected));
}

void NpzFile::refuse_scalar(std::string_view name,
                            const std::vector<std::size_t>& found) const {
  fail(name, fmt::format("has shape ({}), expected one value",
                         fmt::join(found, ", ")));
}

void NpzFile::fail(std::string_view name, std::string_view what) const {
  throw FatalError(path_.string() + ": " +
                   one_line(fmt::format("{}: {}", name, what)));
}

template std::vector<float> NpzFile::convert(std::string_view,
                                             const NpyArray&) const;
template std::vector<double> NpzFile::convert(std::string_view,
                                              const NpyArray&) const;
template std::vector<std::int8_t> NpzFile::convert(std::string_view,
                                                   const NpyArray&) const;
template std::vector<std::int16_t> NpzFile::convert(std::string_view,
                                                    const NpyArray&) const;
template std::vector<std::int32_t> NpzFile::convert(std::string_view,
                                                    const NpyArray&) const;
template std::vector<std::int64_t> NpzFile::convert(std::string_view,
                                                    const NpyArray&) const;
template std::vector<std::uint8_t> NpzFile::convert(std::string_view,
                                                    const NpyArray&) const;

}  // namespace diarize
