#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace diarize {

// Place of a value in the arena of its Pickle.
using PickleIndex = std::uint32_t;

// One value of a pickle. Which members have a meaning depends on the kind.
struct PickleValue {
  enum class Kind : std::uint8_t {
    kNone,        //
    kBool,        // integer
    kInt,         // integer
    kFloat,       // real
    kString,      // text
    kList,        // items: the elements
    kTuple,       // items: the elements
    kDict,        // items: key, value, key, value...; later keys win
    kGlobal,      // module and text: where and what, "torch" "FloatStorage"
    kObject,      // items: what would be called, its arguments, its state
    kPersistent,  // items: the identifier
  };

  Kind kind = Kind::kNone;
  std::uint32_t depth = 0;  // of the values inside, as far as was checked
  std::int64_t integer = 0;
  double real = 0.0;
  std::string_view text;    // into the bytes the Pickle owns
  std::string_view module;  // likewise
  std::vector<PickleIndex> items;
};

// A Python pickle read as data. Nothing in it is looked up, imported or called:
// `collections OrderedDict` becomes a dict, every other class and function an
// inert object that holds what it would have been called with. Understood are
// the operations torch.save uses with protocol 2, and those of protocol 4 that
// replace them; any other is an error.
//
// Values lie in an arena and name each other by index, so nesting costs no
// stack, neither in reading nor in freeing, and a value that contains itself
// does no harm. Bounded are the bytes, the values and the depth of nesting.
// Cost: linear in the bytes. All errors are FatalError, in one line. Immutable
// once read, so threads may share it.
class Pickle {
 public:
  static constexpr std::size_t kMaxBytes = std::size_t{16} << 20;
  static constexpr std::size_t kMaxValues = std::size_t{1} << 20;
  static constexpr std::uint32_t kMaxDepth = 100;

  // Takes over the bytes. Throws FatalError if they are no pickle of this
  // kind, are cut off or go beyond the bounds.
  explicit Pickle(std::vector<std::byte> bytes);

  [[nodiscard]] const PickleValue& root() const { return values_[root_]; }

  // A value by its place, which comes from `items`.
  [[nodiscard]] const PickleValue& at(PickleIndex index) const {
    return values_[index];
  }

  // The value of a string key of a dict; null if there is none or `dict` is no
  // dict. Cost: linear in the size of the dict.
  [[nodiscard]] const PickleValue* find(const PickleValue& dict,
                                        std::string_view key) const;

  // True if `value` is the class or function of that module and name.
  [[nodiscard]] static bool is_global(const PickleValue& value,
                                      std::string_view module,
                                      std::string_view name);

 private:
  std::vector<std::byte> bytes_;
  std::vector<PickleValue> values_;
  PickleIndex root_ = 0;
};

// What a kind is called in messages, such as "a list".
[[nodiscard]] std::string_view describe(PickleValue::Kind kind);

}  // namespace diarize
