#include "core/weights.h"

#include "core/error.h"

#include <span>
#include <stdexcept>
#include <utility>

namespace diarize {
namespace {

constexpr std::size_t kMaxNamed = 3;  // surplus tensors in a message

std::string quote(std::string_view name) {
  std::string text("'");
  text += name;
  text += "'";
  return text;
}

std::string describe(std::span<const std::size_t> shape) {
  std::string text = "(";
  for (const std::size_t length : shape) {
    if (text.size() > 1) text += ", ";
    text += std::to_string(length);
  }
  return text + ")";
}

}  // namespace

void WeightMap::insert(std::string name, WeightTensor tensor) {
  std::size_t expected = 1;
  for (const std::size_t length : tensor.shape) expected *= length;
  if (tensor.values.size() != expected) {
    throw std::logic_error("WeightMap: the values do not fill the shape");
  }
  Entry entry;
  entry.tensor = std::move(tensor);
  insert_entry(std::move(name), std::move(entry));
  ++num_tensors_;
  num_values_ += expected;
}

void WeightMap::insert_other(std::string name, std::string type) {
  Entry entry;
  entry.other_type = std::move(type);
  insert_entry(std::move(name), std::move(entry));
}

void WeightMap::insert_entry(std::string name, Entry&& entry) {
  const auto [place, inserted] =
      entries_.try_emplace(std::move(name), std::move(entry));
  if (!inserted) {
    throw FatalError("tensor " + quote(place->first) + " is there twice");
  }
}

WeightTensor WeightMap::take(std::string_view name,
                             std::initializer_list<std::size_t> shape) {
  const std::span<const std::size_t> wanted(shape.begin(), shape.size());
  const std::string expected =
      ", expected float32 values of shape " + describe(wanted);
  const auto found = entries_.find(name);
  if (found == entries_.end()) {
    throw FatalError("tensor " + quote(name) + " is missing" + expected);
  }
  Entry& entry = found->second;
  if (entry.used) {
    throw std::logic_error("WeightMap: " + quote(name) + " is taken twice");
  }
  if (!entry.other_type.empty()) {
    throw FatalError("tensor " + quote(name) + " has " + entry.other_type +
                     " values" + expected);
  }
  if (entry.tensor.shape != std::vector<std::size_t>(shape)) {
    throw FatalError("tensor " + quote(name) + " has shape " +
                     describe(entry.tensor.shape) + expected);
  }
  entry.used = true;
  return std::move(entry.tensor);
}

bool WeightMap::has(std::string_view name) const {
  return entries_.find(name) != entries_.end();
}

std::size_t WeightMap::discard(
    const std::function<bool(std::string_view)>& rule) {
  std::size_t num_discarded = 0;
  for (auto& [name, entry] : entries_) {
    if (entry.used || !rule(name)) continue;
    entry.used = true;
    entry.tensor = {};
    ++num_discarded;
  }
  return num_discarded;
}

void WeightMap::finish() const {
  std::string names;
  std::size_t num_surplus = 0;
  for (const auto& [name, entry] : entries_) {
    if (entry.used || ++num_surplus > kMaxNamed) continue;
    if (!names.empty()) names += ", ";
    names += quote(name);
  }
  if (num_surplus == 0) return;
  if (num_surplus > kMaxNamed) names += ", ...";
  throw FatalError(std::to_string(num_surplus) +
                   " tensors belong to no part of the network: " + names);
}

std::vector<std::string> WeightMap::names() const {
  std::vector<std::string> names;
  names.reserve(entries_.size());
  for (const auto& [name, entry] : entries_) names.push_back(name);
  return names;
}

bool is_batch_counter(std::string_view name) {
  return name == "num_batches_tracked" ||
         name.ends_with(".num_batches_tracked");
}

}  // namespace diarize
