#pragma once

#include "tests/io/make_zip.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace diarize::test {

// Pieces of a pickle of protocol 2, to be joined by +. Each leaves one value
// on the stack of the machine.
[[nodiscard]] std::string pickled(const std::string& text);
[[nodiscard]] std::string pickled(std::int32_t number);
[[nodiscard]] std::string pickled_global(const std::string& module,
                                         const std::string& name);
[[nodiscard]] std::string pickled_tuple(const std::vector<std::string>& items);
[[nodiscard]] std::string pickled_dict(
    const std::vector<std::pair<std::string, std::string>>& items);
[[nodiscard]] std::string pickled_call(const std::string& function,
                                       const std::vector<std::string>& items);

// A tensor as torch.save describes it.
struct PickledTensor {
  std::string key = "0";
  std::string storage_type = "FloatStorage";
  std::int32_t num_stored = 0;
  std::int32_t offset = 0;
  std::vector<std::int32_t> shape;
  std::vector<std::int32_t> strides;
};
[[nodiscard]] std::string pickled(const PickledTensor& tensor);

// The whole program around one value.
[[nodiscard]] std::string pickle_of(const std::string& value);

[[nodiscard]] std::vector<std::byte> as_bytes(const std::string& text);

// Writes what torch.save would: the pickle and its storages, in a folder.
void make_checkpoint(const std::filesystem::path& path,
                     const std::string& pickle,
                     const std::vector<ZipContent>& storages,
                     Compression compression = Compression::kStored);

}  // namespace diarize::test
