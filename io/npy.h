#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace diarize {

// One array in numpy's .npy format, versions 1 to 3 (numpy.lib.format).
struct NpyArray {
  std::string dtype;               // numpy's name, such as "<f8"
  bool fortran_order = false;      // the first index runs fastest
  std::vector<std::size_t> shape;  // empty for a scalar
  std::vector<std::byte> bytes;    // the file, header included
  std::size_t data_offset = 0;     // of the first value in `bytes`

  // Product of the shape; 1 for a scalar.
  [[nodiscard]] std::size_t num_values() const;
};

// Takes a .npy file apart. `bytes` is the whole file. Strings, objects, records
// and big-endian numbers are parsed too, but only for their shape: npy_values
// refuses them. Throws FatalError if the header is not numpy's or does not fit
// the length of the data.
[[nodiscard]] NpyArray parse_npy(std::vector<std::byte> bytes);

// The values in row-major order as T, one of float, double, std::int8_t,
// std::int16_t, std::int32_t, std::int64_t and std::uint8_t.
//
// Known are the dtypes b1 u1 u2 u4 i1 i2 i4 i8 f4 f8. Nothing is rounded: a
// number becomes a T only if T holds it exactly (double holds every float32,
// and int64 up to 2^53). Throws FatalError naming the dtype otherwise.
template <typename T>
[[nodiscard]] std::vector<T> npy_values(const NpyArray& array);

}  // namespace diarize
