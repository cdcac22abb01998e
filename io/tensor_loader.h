#pragma once

#include "core/weights.h"
#include "io/pickle.h"
#include "io/zip_archive.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace diarize {

// Turns the tensors that a checkpoint's pickle names into values, from the
// storages that lie beside it in the archive as `<folder>/data/<key>`.
//
// Usage: add() every tensor, then load() once. So it is known before anything
// is read which storages are shared, and each is read once. All errors are
// FatalError naming the tensor, in one line. Used once; not thread safe.
class TensorLoader {
 public:
  // Values of all tensors together: a gigabyte.
  static constexpr std::size_t kMaxValues = std::size_t{1} << 28;
  static constexpr std::size_t kMaxDimensions = 8;

  // `folder` is that of the pickle in the archive, "" or with a slash at its
  // end. Archive and pickle must outlive the loader.
  TensorLoader(const ZipArchive& archive, const Pickle& pickle,
               std::string folder);

  // Notes what `value` says of a tensor: an object of torch's
  // `_rebuild_tensor_v2`, or of `_rebuild_parameter` around one. Throws if it
  // is anything else, or if the tensor does not lie inside its storage.
  void add(std::string_view name, const PickleValue& value);

  // Reads the values of all tensors of float32; others are only named.
  [[nodiscard]] WeightMap load();

 private:
  struct Storage {
    std::string_view type;       // class in torch, as "FloatStorage"
    std::size_t num_values = 0;  //
    int num_users = 0;
    std::vector<float> values;  // empty until it is read
  };
  struct Tensor {
    std::string name;
    Storage* storage = nullptr;  // in storages_, which does not move it
    std::string_view key;
    std::size_t offset = 0;            // values
    std::vector<std::size_t> shape;    //
    std::vector<std::size_t> strides;  // values
    std::size_t num_values = 0;
  };

  [[nodiscard]] Storage& storage(const PickleValue& value, Tensor& tensor);
  void check_inside(const Tensor& tensor) const;
  void read(Tensor& tensor);
  [[nodiscard]] std::vector<float> values(Tensor& tensor);

  const ZipArchive& archive_;
  const Pickle& pickle_;
  std::string folder_;
  std::map<std::string_view, Storage> storages_;  // by key
  std::vector<Tensor> tensors_;
  std::uint64_t num_bytes_read_ = 0;
};

}  // namespace diarize
