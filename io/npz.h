#pragma once

#include "core/array.h"
#include "io/npy.h"
#include "io/zip_archive.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace diarize {

// The named arrays of a .npz file (numpy.savez, numpy.savez_compressed), or
// the one array of a .npy file, whose name is the file's without `.npy`.
//
//   const NpzFile file("plda_embeddings.npz");
//   const auto post_plda = file.array<double, 2>("post_plda");
//
// T is one of those npy_values knows; nothing is rounded. Arrays are read when
// they are asked for, each time anew. Array lengths are bounded by
// ZipArchive::kMaxEntryBytes. All errors are FatalError with the path and the
// name of the array in front. Not thread safe.
class NpzFile {
 public:
  // Reads the list of arrays. Throws FatalError if the file cannot be read or
  // is neither of the two.
  explicit NpzFile(const std::filesystem::path& path);

  // Names without `.npy`, in the order of the file.
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] bool has(std::string_view name) const;

  // Lengths of the dimensions; empty for a scalar.
  [[nodiscard]] std::vector<std::size_t> shape(std::string_view name) const;

  // numpy's name of the type of the values, such as "<f8" or "<U10".
  [[nodiscard]] std::string dtype(std::string_view name) const;

  // The array of N dimensions, row-major whatever its order in the file.
  // Throws FatalError if it has another number of dimensions.
  template <typename T, std::size_t N>
  [[nodiscard]] Array<T, N> array(std::string_view name) const {
    const NpyArray raw = load(name);
    if (raw.shape.size() != N) refuse_rank(name, N, raw.shape);
    typename Array<T, N>::Shape shape{};
    std::copy(raw.shape.begin(), raw.shape.end(), shape.begin());
    return Array<T, N>(shape, convert<T>(name, raw));
  }

  // All values in row-major order, whatever the shape.
  template <typename T>
  [[nodiscard]] std::vector<T> values(std::string_view name) const {
    return convert<T>(name, load(name));
  }

  // The value of an array that has just one, of any shape.
  template <typename T>
  [[nodiscard]] T scalar(std::string_view name) const {
    const NpyArray raw = load(name);
    if (raw.num_values() != 1) refuse_scalar(name, raw.shape);
    return convert<T>(name, raw).front();
  }

 private:
  [[nodiscard]] NpyArray load(std::string_view name) const;
  template <typename T>
  [[nodiscard]] std::vector<T> convert(std::string_view name,
                                       const NpyArray& raw) const;
  [[noreturn]] void refuse_rank(std::string_view name, std::size_t expected,
                                const std::vector<std::size_t>& found) const;
  [[noreturn]] void refuse_scalar(std::string_view name,
                                  const std::vector<std::size_t>& found) const;
  [[noreturn]] void fail(std::string_view name, std::string_view what) const;

  std::filesystem::path path_;
  std::optional<ZipArchive> archive_;  // of a .npz
  NpyArray single_;                    // of a .npy
};

}  // namespace diarize
