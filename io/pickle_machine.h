#pragma once

#include "io/pickle.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace diarize {

// The stack machine that a pickle is a program for (Python's pickletools.py
// describes each operation), reduced to what builds data. Used once, by Pickle.
class PickleMachine {
 public:
  explicit PickleMachine(std::span<const std::byte> program);

  // Runs the program to its end and returns the place of what it leaves.
  // Throws FatalError as Pickle does.
  PickleIndex run();

  // The arena, to be taken after run().
  [[nodiscard]] std::vector<PickleValue>& values() { return values_; }

 private:
  using Kind = PickleValue::Kind;

  // One step; false after STOP.
  bool step();
  bool step_data(std::uint8_t operation);
  bool step_containers(std::uint8_t operation);
  bool step_memo(std::uint8_t operation);
  bool step_objects(std::uint8_t operation);

  // The program, read from front to back.
  std::string_view bytes(std::uint64_t count);
  std::string_view line();
  std::uint64_t unsigned_number(std::size_t num_bytes);
  std::int64_t signed_number(std::size_t num_bytes);
  double big_endian_double();

  // The stack.
  void push(PickleIndex index) { stack_.push_back(index); }
  PickleIndex pop();
  [[nodiscard]] PickleIndex top() const;
  std::vector<PickleIndex> pop_to_mark();
  std::vector<PickleIndex> pop_many(std::size_t count);

  // The arena.
  PickleIndex add(PickleValue value);
  void push_new(Kind kind, std::vector<PickleIndex> items = {});
  void push_text(std::string_view text);
  void push_number(Kind kind, std::int64_t number);
  void push_global(std::string_view module, std::string_view name);
  void append(PickleIndex container, std::span<const PickleIndex> items);
  void check_depth(PickleValue& container, PickleIndex item);

  // The memo.
  void remember(std::uint64_t place);
  void recall(std::uint64_t place);

  void reduce();
  void build();
  [[noreturn]] void fail(std::string_view what) const;

  std::string_view program_;
  std::size_t position_ = 0;
  std::vector<PickleValue> values_;
  std::vector<PickleIndex> stack_;
  std::vector<std::size_t> marks_;  // heights of the stack
  std::vector<PickleIndex> memo_;   // kNowhere where nothing is
};

}  // namespace diarize
