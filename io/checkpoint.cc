#include "io/checkpoint.h"

#include "core/error.h"
#include "io/one_line.h"
#include "io/pickle.h"
#include "io/tensor_loader.h"
#include "io/zip_archive.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace diarize {
namespace {

using Kind = PickleValue::Kind;

constexpr std::string_view kPickleName = "data.pkl";
// Of hyper-parameters; pyannote.audio nests twice and has about ten.
constexpr int kMaxLevels = 4;
constexpr std::size_t kMaxHyperParameters = 1000;

// The pickle lies in the one top folder, whatever its name, or outside any.
const ZipEntry& find_pickle(const ZipArchive& archive) {
  for (const ZipEntry& entry : archive.entries()) {
    const std::size_t slash = entry.name.find('/');
    const std::string_view inner =
        slash == std::string::npos
            ? std::string_view(entry.name)
            : std::string_view(entry.name).substr(slash + 1);
    if (inner == kPickleName) return entry;
  }
  throw FatalError(
      "the zip archive has no entry 'data.pkl', expected what torch.save "
      "writes");
}

void check_byte_order(const ZipArchive& archive, const std::string& folder) {
  const ZipEntry* entry = archive.find(folder + "byteorder");
  if (entry == nullptr) return;
  constexpr std::uint64_t kLongest = 16;
  if (entry->size <= kLongest) {
    const std::vector<std::byte> bytes = archive.read(*entry);
    const std::string_view order(reinterpret_cast<const char*>(bytes.data()),
                                 bytes.size());
    if (order == "little") return;
  }
  throw FatalError("the tensors are not stored in little-endian order");
}

std::vector<std::byte> read_pickle(const ZipArchive& archive,
                                   const ZipEntry& entry) {
  if (!entry.stored) {
    throw FatalError(
        "the entry 'data.pkl' is compressed, expected a stored one");
  }
  if (entry.size > Pickle::kMaxBytes) {
    throw FatalError(
        fmt::format("the entry 'data.pkl' has {} bytes, expected "
                    "at most {}",
                    entry.size, Pickle::kMaxBytes));
  }
  return archive.read(entry);
}

// The dict of tensors: under `state_dict`, or the root itself.
const PickleValue& state_dict(const Pickle& pickle) {
  const PickleValue& root = pickle.root();
  const PickleValue* inner = pickle.find(root, "state_dict");
  const PickleValue& result = inner != nullptr ? *inner : root;
  if (result.kind != Kind::kDict) {
    throw FatalError(
        fmt::format("the checkpoint holds {}, expected a dict of "
                    "tensors",
                    describe(result.kind)));
  }
  if (result.items.empty()) throw FatalError("the checkpoint has no tensors");
  return result;
}

WeightMap read_weights(const ZipArchive& archive, const Pickle& pickle,
                       const std::string& folder) {
  TensorLoader loader(archive, pickle, folder);
  const PickleValue& dict = state_dict(pickle);
  for (std::size_t i = 0; i + 1 < dict.items.size(); i += 2) {
    const PickleValue& key = pickle.at(dict.items[i]);
    if (key.kind != Kind::kString) {
      throw FatalError(fmt::format("a tensor is named by {}, expected a string",
                                   describe(key.kind)));
    }
    loader.add(key.text, pickle.at(dict.items[i + 1]));
  }
  return loader.load();
}

std::optional<HyperParameter> plain_value(const PickleValue& value) {
  switch (value.kind) {
    case Kind::kBool:
      return value.integer != 0;
    case Kind::kInt:
      return value.integer;
    case Kind::kFloat:
      return value.real;
    case Kind::kString:
      return std::string(value.text);
    default:
      return std::nullopt;
  }
}

// Gathers plain values under names with dots. Levels and visits are bounded,
// so dicts that contain themselves or each other many times come to an end.
class HyperParameterReader {
 public:
  explicit HyperParameterReader(const Pickle& pickle) : pickle_(pickle) {}

  void add(const PickleValue& dict, const std::string& prefix, int levels) {
    for (std::size_t i = 0; i + 1 < dict.items.size(); i += 2) {
      if (++num_visits_ > kMaxHyperParameters) {
        throw FatalError(
            fmt::format("the checkpoint has more than {} hyper-parameters",
                        kMaxHyperParameters));
      }
      const PickleValue& key = pickle_.at(dict.items[i]);
      if (key.kind != Kind::kString) continue;
      const std::string name = prefix + std::string(key.text);
      const PickleValue& value = pickle_.at(dict.items[i + 1]);
      if (value.kind == Kind::kDict && levels > 1) {
        add(value, name + ".", levels - 1);
      } else if (const auto plain = plain_value(value)) {
        result_[name] = *plain;
      }
    }
  }

  [[nodiscard]] std::map<std::string, HyperParameter>& result() {
    return result_;
  }

 private:
  const Pickle& pickle_;
  std::map<std::string, HyperParameter> result_;
  std::size_t num_visits_ = 0;
};

std::map<std::string, HyperParameter> read_hyper_parameters(
    const Pickle& pickle) {
  HyperParameterReader reader(pickle);
  const PickleValue* dict = pickle.find(pickle.root(), "hyper_parameters");
  if (dict != nullptr && dict->kind == Kind::kDict) {
    reader.add(*dict, "", kMaxLevels);
  }
  return std::move(reader.result());
}

std::optional<Architecture> read_architecture(const Pickle& pickle) {
  const PickleValue* info = pickle.find(pickle.root(), "pyannote.audio");
  if (info == nullptr) return std::nullopt;
  const PickleValue* architecture = pickle.find(*info, "architecture");
  if (architecture == nullptr) return std::nullopt;
  const PickleValue* module = pickle.find(*architecture, "module");
  const PickleValue* name = pickle.find(*architecture, "class");
  if (module == nullptr || module->kind != Kind::kString || name == nullptr ||
      name->kind != Kind::kString) {
    throw FatalError("the checkpoint does not say which class it is for");
  }
  return Architecture{std::string(module->text), std::string(name->text)};
}

Checkpoint read(const std::filesystem::path& path) {
  const ZipArchive archive(path);
  const ZipEntry& entry = find_pickle(archive);
  const std::string folder =
      entry.name.substr(0, entry.name.size() - kPickleName.size());
  check_byte_order(archive, folder);
  const Pickle pickle(read_pickle(archive, entry));
  Checkpoint checkpoint;
  checkpoint.weights = read_weights(archive, pickle, folder);
  checkpoint.hyper_parameters = read_hyper_parameters(pickle);
  checkpoint.architecture = read_architecture(pickle);
  return checkpoint;
}

}  // namespace

Checkpoint read_checkpoint(const std::filesystem::path& path) {
  try {
    return read(path);
  } catch (const FatalError& error) {
    throw FatalError(path.string() + ": " + one_line(error.what()));
  }
}

}  // namespace diarize
