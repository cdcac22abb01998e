#include "tests/io/make_pickle.h"

#include <cstring>
#include <span>

namespace diarize::test {
namespace {

std::string little_endian(std::int32_t number) {
  std::string bytes(sizeof(number), '\0');
  std::memcpy(bytes.data(), &number, sizeof(number));
  return bytes;
}

std::string counts(const std::vector<std::int32_t>& numbers) {
  std::vector<std::string> items;
  for (const std::int32_t number : numbers) items.push_back(pickled(number));
  return pickled_tuple(items);
}

}  // namespace

std::string pickled(const std::string& text) {
  return "X" + little_endian(static_cast<std::int32_t>(text.size())) + text;
}

std::string pickled(std::int32_t number) { return "J" + little_endian(number); }

std::string pickled_global(const std::string& module, const std::string& name) {
  return "c" + module + "\n" + name + "\n";
}

std::string pickled_tuple(const std::vector<std::string>& items) {
  std::string result = "(";
  for (const std::string& item : items) result += item;
  return result + "t";
}

std::string pickled_dict(
    const std::vector<std::pair<std::string, std::string>>& items) {
  std::string result = "}(";
  for (const auto& [key, value] : items) result += pickled(key) + value;
  return result + "u";
}

std::string pickled_call(const std::string& function,
                         const std::vector<std::string>& items) {
  return function + pickled_tuple(items) + "R";
}

std::string pickled(const PickledTensor& tensor) {
  const std::string storage =
      pickled_tuple(
          {pickled("storage"), pickled_global("torch", tensor.storage_type),
           pickled(tensor.key), pickled("cpu"), pickled(tensor.num_stored)}) +
      "Q";
  return pickled_call(
      pickled_global("torch._utils", "_rebuild_tensor_v2"),
      {storage, pickled(tensor.offset), counts(tensor.shape),
       counts(tensor.strides), "\x89",
       pickled_call(pickled_global("collections", "OrderedDict"), {})});
}

std::string pickle_of(const std::string& value) {
  return "\x80\x02" + value + ".";
}

std::vector<std::byte> as_bytes(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

void make_checkpoint(const std::filesystem::path& path,
                     const std::string& pickle,
                     const std::vector<ZipContent>& storages,
                     Compression compression) {
  std::vector<ZipContent> contents{{"archive/data.pkl", pickle}};
  for (const ZipContent& storage : storages) {
    contents.push_back({"archive/data/" + storage.name, storage.bytes});
  }
  contents.push_back({"archive/version", "3\n"});
  make_zip(path, contents, compression);
}

}  // namespace diarize::test
