#include "io/pickle_machine.h"

#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace diarize {
namespace {

constexpr PickleIndex kNowhere = std::numeric_limits<PickleIndex>::max();
constexpr std::uint8_t kHighestProtocol = 4;

// Operation codes of Python's pickle, those that torch.save writes.
enum Operation : std::uint8_t {
  kProtocol = 0x80,
  kFrame = 0x95,
  kStop = '.',
  kMark = '(',
  kNone = 'N',
  kTrue = 0x88,
  kFalse = 0x89,
  kInt4 = 'J',
  kInt1 = 'K',
  kInt2 = 'M',
  kLong1 = 0x8A,
  kFloat8 = 'G',
  kUnicode = 'X',
  kShortUnicode = 0x8C,
  kEmptyDict = '}',
  kEmptyList = ']',
  kEmptyTuple = ')',
  kTuple = 't',
  kTuple1 = 0x85,
  kTuple2 = 0x86,
  kTuple3 = 0x87,
  kAppend = 'a',
  kAppends = 'e',
  kSetItem = 's',
  kSetItems = 'u',
  kPut1 = 'q',
  kPut4 = 'r',
  kGet1 = 'h',
  kGet4 = 'j',
  kMemoize = 0x94,
  kGlobal = 'c',
  kStackGlobal = 0x93,
  kReduce = 'R',
  kNewObject = 0x81,
  kBuild = 'b',
  kPersistentId = 'Q',
};

}  // namespace

PickleMachine::PickleMachine(std::span<const std::byte> program)
    : program_(reinterpret_cast<const char*>(program.data()), program.size()) {}

PickleIndex PickleMachine::run() {
  if (program_.size() < 2 ||
      static_cast<std::uint8_t>(program_.front()) != kProtocol) {
    fail("it does not begin as a pickle of protocol 2 or later");
  }
  while (step()) {
  }
  if (stack_.size() != 1 || !marks_.empty()) {
    fail("it does not end with one value");
  }
  return stack_.front();
}

bool PickleMachine::step() {
  const auto operation = static_cast<std::uint8_t>(unsigned_number(1));
  if (operation == kStop) return false;
  if (operation == kProtocol) {
    const std::uint64_t version = unsigned_number(1);
    if (version < 2 || version > kHighestProtocol) {
      fail(fmt::format("protocol {} is not known", version));
    }
    return true;
  }
  if (operation == kFrame) {
    // A hint for readers that fetch in pieces; we have the whole.
    (void)unsigned_number(8);
    return true;
  }
  if (!step_data(operation) && !step_containers(operation) &&
      !step_memo(operation) && !step_objects(operation)) {
    fail(fmt::format("operation 0x{:02x} is not one that checkpoints need",
                     operation));
  }
  return true;
}

bool PickleMachine::step_data(std::uint8_t operation) {
  switch (operation) {
    case kNone:
      push_new(Kind::kNone);
      return true;
    case kTrue:
    case kFalse:
      push_number(Kind::kBool, operation == kTrue ? 1 : 0);
      return true;
    case kInt4:
      push_number(Kind::kInt, signed_number(4));
      return true;
    case kInt1:
    case kInt2:
      push_number(Kind::kInt, static_cast<std::int64_t>(
                                  unsigned_number(operation == kInt1 ? 1 : 2)));
      return true;
    case kLong1:
      push_number(Kind::kInt, signed_number(unsigned_number(1)));
      return true;
    case kFloat8: {
      PickleValue value;
      value.kind = Kind::kFloat;
      value.real = big_endian_double();
      push(add(std::move(value)));
      return true;
    }
    case kUnicode:
      push_text(bytes(unsigned_number(4)));
      return true;
    case kShortUnicode:
      push_text(bytes(unsigned_number(1)));
      return true;
    default:
      return false;
  }
}

bool PickleMachine::step_containers(std::uint8_t operation) {
  switch (operation) {
    case kMark:
      marks_.push_back(stack_.size());
      return true;
    case kEmptyDict:
      push_new(Kind::kDict);
      return true;
    case kEmptyList:
      push_new(Kind::kList);
      return true;
    case kEmptyTuple:
      push_new(Kind::kTuple);
      return true;
    case kTuple:
      push_new(Kind::kTuple, pop_to_mark());
      return true;
    case kTuple1:
    case kTuple2:
    case kTuple3:
      push_new(Kind::kTuple, pop_many(operation - kTuple1 + std::size_t{1}));
      return true;
    case kAppend: {
      const PickleIndex item = pop();
      append(top(), std::span(&item, 1));
      return true;
    }
    case kSetItem: {
      const std::vector<PickleIndex> items = pop_many(2);
      append(top(), items);
      return true;
    }
    case kAppends:
    case kSetItems: {
      const std::vector<PickleIndex> items = pop_to_mark();
      if (operation == kSetItems && items.size() % 2 != 0) {
        fail("a key of a dict has no value");
      }
      append(top(), items);
      return true;
    }
    default:
      return false;
  }
}

bool PickleMachine::step_memo(std::uint8_t operation) {
  switch (operation) {
    case kPut1:
    case kPut4:
      remember(unsigned_number(operation == kPut1 ? 1 : 4));
      return true;
    case kMemoize:
      remember(memo_.size());
      return true;
    case kGet1:
    case kGet4:
      recall(unsigned_number(operation == kGet1 ? 1 : 4));
      return true;
    default:
      return false;
  }
}

bool PickleMachine::step_objects(std::uint8_t operation) {
  switch (operation) {
    case kGlobal: {
      const std::string_view module = line();
      push_global(module, line());
      return true;
    }
    case kStackGlobal: {
      const PickleValue& name = values_[pop()];
      const PickleValue& module = values_[pop()];
      if (name.kind != Kind::kString || module.kind != Kind::kString) {
        fail("the name of a class is no string");
      }
      push_global(std::string_view(module.text), name.text);
      return true;
    }
    case kReduce:
    case kNewObject:
      reduce();
      return true;
    case kBuild:
      build();
      return true;
    case kPersistentId: {
      push_new(Kind::kPersistent, {pop()});
      return true;
    }
    default:
      return false;
  }
}

std::string_view PickleMachine::bytes(std::uint64_t count) {
  if (count > program_.size() - position_) fail("it is cut off");
  const std::string_view result = program_.substr(position_, count);
  position_ += count;
  return result;
}

std::string_view PickleMachine::line() {
  const std::size_t end = program_.find('\n', position_);
  if (end == std::string_view::npos) fail("it is cut off");
  const std::string_view result = bytes(end - position_);
  ++position_;
  return result;
}

std::uint64_t PickleMachine::unsigned_number(std::size_t num_bytes) {
  std::uint64_t number = 0;
  int shift = 0;
  for (const char byte : bytes(num_bytes)) {
    number |= static_cast<std::uint64_t>(static_cast<std::uint8_t>(byte))
              << shift;
    shift += 8;
  }
  return number;
}

std::int64_t PickleMachine::signed_number(std::size_t num_bytes) {
  if (num_bytes > 8) fail("an integer has more than 64 bits");
  if (num_bytes == 0) return 0;
  const int unused = 64 - 8 * static_cast<int>(num_bytes);
  return static_cast<std::int64_t>(unsigned_number(num_bytes) << unused) >>
         unused;
}

double PickleMachine::big_endian_double() {
  std::uint64_t number = 0;
  for (const char byte : bytes(8)) {
    number = number << 8 | static_cast<std::uint8_t>(byte);
  }
  return std::bit_cast<double>(number);
}

PickleIndex PickleMachine::top() const {
  const std::size_t bottom = marks_.empty() ? 0 : marks_.back();
  if (stack_.size() <= bottom) fail("a value is missing on its stack");
  return stack_.back();
}

PickleIndex PickleMachine::pop() {
  const PickleIndex index = top();
  stack_.pop_back();
  return index;
}

std::vector<PickleIndex> PickleMachine::pop_to_mark() {
  if (marks_.empty()) fail("a mark is missing on its stack");
  const std::size_t count = stack_.size() - marks_.back();
  std::vector<PickleIndex> items = pop_many(count);
  marks_.pop_back();
  return items;
}

std::vector<PickleIndex> PickleMachine::pop_many(std::size_t count) {
  const std::size_t bottom = marks_.empty() ? 0 : marks_.back();
  if (stack_.size() - bottom < count) fail("a value is missing on its stack");
  const auto first = stack_.end() - static_cast<std::ptrdiff_t>(count);
  std::vector<PickleIndex> items(first, stack_.end());
  stack_.erase(first, stack_.end());
  return items;
}

PickleIndex PickleMachine::add(PickleValue value) {
  if (values_.size() >= Pickle::kMaxValues) {
    fail(fmt::format("it holds more than {} values", Pickle::kMaxValues));
  }
  values_.push_back(std::move(value));
  return static_cast<PickleIndex>(values_.size() - 1);
}

void PickleMachine::push_new(Kind kind, std::vector<PickleIndex> items) {
  PickleValue value;
  value.kind = kind;
  for (const PickleIndex item : items) check_depth(value, item);
  value.items = std::move(items);
  push(add(std::move(value)));
}

void PickleMachine::push_text(std::string_view text) {
  PickleValue value;
  value.kind = Kind::kString;
  value.text = text;
  push(add(std::move(value)));
}

void PickleMachine::push_number(Kind kind, std::int64_t number) {
  PickleValue value;
  value.kind = kind;
  value.integer = number;
  push(add(std::move(value)));
}

void PickleMachine::push_global(std::string_view module,
                                std::string_view name) {
  PickleValue value;
  value.kind = Kind::kGlobal;
  value.module = module;
  value.text = name;
  push(add(std::move(value)));
}

void PickleMachine::append(PickleIndex container,
                           std::span<const PickleIndex> items) {
  PickleValue& value = values_[container];
  // Containers of other classes are inert; what is put in them is dropped.
  if (value.kind == Kind::kObject) return;
  if (value.kind != Kind::kList && value.kind != Kind::kDict) {
    fail("something is put into what is no container");
  }
  if (value.kind == Kind::kDict && items.size() % 2 != 0) {
    fail("a key of a dict has no value");
  }
  for (const PickleIndex item : items) check_depth(value, item);
  value.items.insert(value.items.end(), items.begin(), items.end());
}

void PickleMachine::check_depth(PickleValue& container, PickleIndex item) {
  container.depth = std::max(container.depth, values_[item].depth + 1);
  if (container.depth > Pickle::kMaxDepth) {
    fail(fmt::format("its values nest deeper than {}", Pickle::kMaxDepth));
  }
}

void PickleMachine::remember(std::uint64_t place) {
  if (place >= Pickle::kMaxValues) fail("its memo is too large");
  if (place >= memo_.size()) memo_.resize(place + 1, kNowhere);
  memo_[place] = top();
}

void PickleMachine::recall(std::uint64_t place) {
  if (place >= memo_.size() || memo_[place] == kNowhere) {
    fail("it refers to a value that is not there");
  }
  push(memo_[place]);
}

void PickleMachine::reduce() {
  const std::vector<PickleIndex> call = pop_many(2);
  const PickleValue& arguments = values_[call[1]];
  if (arguments.kind != Kind::kTuple) fail("its arguments are no tuple");
  if (arguments.items.empty() &&
      Pickle::is_global(values_[call[0]], "collections", "OrderedDict")) {
    push_new(Kind::kDict);
  } else {
    push_new(Kind::kObject, call);
  }
}

void PickleMachine::build() {
  const PickleIndex state = pop();
  PickleValue& value = values_[top()];
  // The attributes of a dict, such as `_metadata`, have no meaning here.
  if (value.kind == Kind::kDict) return;
  if (value.kind != Kind::kObject) fail("a state is given to no object");
  check_depth(value, state);
  value.items.push_back(state);
}

void PickleMachine::fail(std::string_view what) const {
  throw FatalError(
      fmt::format("the pickle is refused at byte {}: {}", position_, what));
}

}  // namespace diarize
