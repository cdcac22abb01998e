#include "io/tensor_loader.h"

#include "core/error.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <span>
#include <utility>

namespace diarize {
namespace {

static_assert(std::endian::native == std::endian::little && sizeof(float) == 4,
              "storages are taken as they lie in the file");

using Kind = PickleValue::Kind;

// What torch calls its storages, and what their values are called.
struct StorageType {
  std::string_view storage;
  std::string_view values;
};
constexpr StorageType kStorageTypes[] = {
    {"FloatStorage", "float32"}, {"DoubleStorage", "float64"},
    {"HalfStorage", "float16"},  {"BFloat16Storage", "bfloat16"},
    {"LongStorage", "int64"},    {"IntStorage", "int32"},
    {"ShortStorage", "int16"},   {"CharStorage", "int8"},
    {"ByteStorage", "uint8"},    {"BoolStorage", "bool"},
};
constexpr std::string_view kFloatStorage = "FloatStorage";

std::string_view name_of_values(std::string_view storage) {
  for (const StorageType& type : kStorageTypes) {
    if (type.storage == storage) return type.values;
  }
  return {};
}

[[noreturn]] void fail(std::string_view name, std::string_view what) {
  throw FatalError(fmt::format("tensor '{}' {}", name, what));
}

// Reads the arguments of a call as the pickle gives them.
class Arguments {
 public:
  Arguments(const Pickle& pickle, const PickleValue& tuple,
            std::string_view name)
      : pickle_(pickle), tuple_(tuple), name_(name) {}

  [[nodiscard]] const PickleValue& get(std::size_t index, Kind kind) const {
    if (tuple_.kind != Kind::kTuple || index >= tuple_.items.size()) {
      fail(name_, "is not described as torch does");
    }
    const PickleValue& value = pickle_.at(tuple_.items[index]);
    if (value.kind != kind) {
      fail(name_, fmt::format("is described by {}, expected {}",
                              describe(value.kind), describe(kind)));
    }
    return value;
  }

  [[nodiscard]] std::size_t count(std::size_t index) const {
    const PickleValue& value = get(index, Kind::kInt);
    if (value.integer < 0) fail(name_, "has a negative size or place");
    return static_cast<std::size_t>(value.integer);
  }

  [[nodiscard]] std::vector<std::size_t> counts(std::size_t index) const {
    const PickleValue& value = get(index, Kind::kTuple);
    if (value.items.size() > TensorLoader::kMaxDimensions) {
      fail(name_, "has too many dimensions");
    }
    const Arguments inner(pickle_, value, name_);
    std::vector<std::size_t> result;
    result.reserve(value.items.size());
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      result.push_back(inner.count(i));
    }
    return result;
  }

 private:
  const Pickle& pickle_;
  const PickleValue& tuple_;
  std::string_view name_;
};

bool is_call_of(const Pickle& pickle, const PickleValue& value,
                std::string_view function) {
  return value.kind == Kind::kObject && value.items.size() >= 2 &&
         Pickle::is_global(pickle.at(value.items[0]), "torch._utils", function);
}

bool is_contiguous(std::span<const std::size_t> shape,
                   std::span<const std::size_t> strides) {
  std::size_t expected = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    if (shape[d] != 1 && strides[d] != expected) return false;
    expected *= shape[d];
  }
  return true;
}

}  // namespace

TensorLoader::TensorLoader(const ZipArchive& archive, const Pickle& pickle,
                           std::string folder)
    : archive_(archive), pickle_(pickle), folder_(std::move(folder)) {}

void TensorLoader::add(std::string_view name, const PickleValue& value) {
  const PickleValue* described = &value;
  if (is_call_of(pickle_, value, "_rebuild_parameter")) {
    const PickleValue& tuple = pickle_.at(value.items[1]);
    described = &Arguments(pickle_, tuple, name).get(0, Kind::kObject);
  }
  if (!is_call_of(pickle_, *described, "_rebuild_tensor_v2")) {
    throw FatalError(fmt::format("entry '{}' is {}, expected a tensor", name,
                                 describe(described->kind)));
  }
  const Arguments arguments(pickle_, pickle_.at(described->items[1]), name);
  Tensor tensor;
  tensor.name = name;
  tensor.storage = &storage(arguments.get(0, Kind::kPersistent), tensor);
  tensor.offset = arguments.count(1);
  tensor.shape = arguments.counts(2);
  tensor.strides = arguments.counts(3);
  if (tensor.strides.size() != tensor.shape.size()) {
    fail(name, "does not have a stride for each dimension");
  }
  check_inside(tensor);
  tensor.num_values = 1;
  for (const std::size_t length : tensor.shape) tensor.num_values *= length;
  ++tensor.storage->num_users;
  tensors_.push_back(std::move(tensor));
}

TensorLoader::Storage& TensorLoader::storage(const PickleValue& value,
                                             Tensor& tensor) {
  const Arguments id(pickle_, pickle_.at(value.items[0]), tensor.name);
  if (id.get(0, Kind::kString).text != "storage") {
    fail(tensor.name, "does not name a storage");
  }
  const PickleValue& type = id.get(1, Kind::kGlobal);
  if (type.module != "torch" || name_of_values(type.text).empty()) {
    fail(tensor.name, fmt::format("has values of the unknown type '{}.{}'",
                                  type.module, type.text));
  }
  tensor.key = id.get(2, Kind::kString).text;
  const std::size_t num_values = id.count(4);
  const auto [place, inserted] =
      storages_.try_emplace(tensor.key, Storage{type.text, num_values, 0, {}});
  Storage& storage = place->second;
  if (storage.type != type.text || storage.num_values != num_values) {
    fail(tensor.name, "shares a storage that is described in two ways");
  }
  return storage;
}

void TensorLoader::check_inside(const Tensor& tensor) const {
  const std::size_t available = tensor.storage->num_values;
  // One past the last value used, and the number of values, without overflow.
  std::size_t end = 1;
  std::size_t num_values = 1;
  bool fits = tensor.offset <= available;
  for (std::size_t d = 0; fits && d < tensor.shape.size(); ++d) {
    const std::size_t length = tensor.shape[d];
    if (length == 0) return;
    fits =
        num_values <= available / length &&
        (length == 1 || tensor.strides[d] <= (available - end) / (length - 1));
    if (!fits) break;
    num_values *= length;
    end += (length - 1) * tensor.strides[d];
  }
  if (!fits || end > available - tensor.offset) {
    fail(
        tensor.name,
        fmt::format("does not lie inside its storage of {} values", available));
  }
}

WeightMap TensorLoader::load() {
  std::size_t num_values = 0;
  for (const Tensor& tensor : tensors_) {
    num_values += tensor.num_values;
    if (num_values > kMaxValues) {
      fail(tensor.name,
           fmt::format("goes beyond {} values in all tensors", kMaxValues));
    }
  }
  WeightMap weights;
  for (Tensor& tensor : tensors_) {
    if (tensor.storage->type != kFloatStorage) {
      weights.insert_other(std::move(tensor.name),
                           std::string(name_of_values(tensor.storage->type)));
      continue;
    }
    std::vector<float> all = values(tensor);
    weights.insert(std::move(tensor.name),
                   {std::move(tensor.shape), std::move(all)});
  }
  return weights;
}

void TensorLoader::read(Tensor& tensor) {
  Storage& storage = *tensor.storage;
  const ZipEntry* entry =
      archive_.find(fmt::format("{}data/{}", folder_, tensor.key));
  if (entry == nullptr) {
    fail(tensor.name,
         fmt::format("has no storage: the archive has no entry '{}data/{}'",
                     folder_, tensor.key));
  }
  if (!entry->stored) {
    fail(tensor.name, "has a compressed storage, expected a stored one");
  }
  if (entry->size % sizeof(float) != 0 ||
      entry->size / sizeof(float) != storage.num_values) {
    fail(tensor.name,
         fmt::format("has a storage of {} bytes, expected {} values of 4",
                     entry->size, storage.num_values));
  }
  // Entries of a hostile archive may overlap.
  num_bytes_read_ += entry->size;
  if (num_bytes_read_ > archive_.file_size()) {
    fail(tensor.name, "has a storage beyond the size of the file");
  }
  storage.values.resize(storage.num_values);
  archive_.read(*entry, std::as_writable_bytes(std::span(storage.values)));
}

std::vector<float> TensorLoader::values(Tensor& tensor) {
  Storage& storage = *tensor.storage;
  if (storage.values.empty() && storage.num_values != 0) read(tensor);
  const bool whole = tensor.offset == 0 &&
                     tensor.num_values == storage.num_values &&
                     is_contiguous(tensor.shape, tensor.strides);
  if (whole && storage.num_users == 1) return std::move(storage.values);
  std::vector<float> result;
  result.reserve(tensor.num_values);
  std::vector<std::size_t> index(tensor.shape.size(), 0);
  while (result.size() < tensor.num_values) {
    std::size_t place = tensor.offset;
    for (std::size_t d = 0; d < index.size(); ++d) {
      place += index[d] * tensor.strides[d];
    }
    result.push_back(storage.values[place]);
    for (std::size_t d = index.size(); d-- > 0;) {
      if (++index[d] < tensor.shape[d]) break;
      index[d] = 0;
    }
  }
  return result;
}

}  // namespace diarize
