#include "io/pickle.h"

#include "core/error.h"
#include "io/pickle_machine.h"

#include <fmt/format.h>

#include <utility>

namespace diarize {

Pickle::Pickle(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {
  if (bytes_.size() > kMaxBytes) {
    throw FatalError(fmt::format("the pickle has {} bytes, expected at most {}",
                                 bytes_.size(), kMaxBytes));
  }
  PickleMachine machine(bytes_);
  root_ = machine.run();
  values_ = std::move(machine.values());
}

const PickleValue* Pickle::find(const PickleValue& dict,
                                std::string_view key) const {
  if (dict.kind != PickleValue::Kind::kDict) return nullptr;
  for (std::size_t i = dict.items.size(); i >= 2; i -= 2) {
    const PickleValue& candidate = at(dict.items[i - 2]);
    if (candidate.kind == PickleValue::Kind::kString && candidate.text == key) {
      return &at(dict.items[i - 1]);
    }
  }
  return nullptr;
}

bool Pickle::is_global(const PickleValue& value, std::string_view module,
                       std::string_view name) {
  return value.kind == PickleValue::Kind::kGlobal && value.module == module &&
         value.text == name;
}

std::string_view describe(PickleValue::Kind kind) {
  using Kind = PickleValue::Kind;
  switch (kind) {
    case Kind::kNone:
      return "None";
    case Kind::kBool:
      return "a truth value";
    case Kind::kInt:
      return "an integer";
    case Kind::kFloat:
      return "a float";
    case Kind::kString:
      return "a string";
    case Kind::kList:
      return "a list";
    case Kind::kTuple:
      return "a tuple";
    case Kind::kDict:
      return "a dict";
    case Kind::kGlobal:
      return "a class or function";
    case Kind::kObject:
      return "an object";
    case Kind::kPersistent:
      return "a reference to a storage";
  }
  return "a value";
}

}  // namespace diarize
