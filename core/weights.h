#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace diarize {

// The values of one named tensor of a network, row-major.
struct WeightTensor {
  std::vector<std::size_t> shape;  // empty for a scalar
  std::vector<float> values;       // as many as the product of `shape`
};

// The weights of one network by name, as a checkpoint's state dict holds them,
// without any trace of how they were stored.
//
// A network takes each tensor it is made of exactly once, with the shape it
// expects, and calls finish() at the end: then every tensor was used, none was
// missing and all shapes were right. Not thread safe.
//
//   Conv conv1(weights.take("resnet.conv1.weight", {32, 1, 3, 3}));
//   weights.discard(is_batch_counter);
//   weights.finish();
class WeightMap {
 public:
  // Adds a float32 tensor. Throws FatalError if the name is there already,
  // std::logic_error if the values do not fill the shape.
  void insert(std::string name, WeightTensor tensor);

  // Adds the name of a tensor whose values are of another type and were not
  // read. It can be discarded but not taken. `type` is for messages.
  void insert_other(std::string name, std::string type);

  // Moves a tensor out. Throws FatalError, naming the tensor, the shape
  // expected and what was found, if it is missing, of another shape or not
  // float32; std::logic_error if it was taken before.
  [[nodiscard]] WeightTensor take(std::string_view name,
                                  std::initializer_list<std::size_t> shape);

  // True if there is a tensor of that name, taken or not.
  [[nodiscard]] bool has(std::string_view name) const;

  // Marks as used all tensors not taken yet whose name the rule accepts.
  // Returns their number.
  std::size_t discard(const std::function<bool(std::string_view)>& rule);

  // Throws FatalError naming the first tensors that were neither taken nor
  // discarded, if there are any.
  void finish() const;

  // Names in alphabetical order, taken or not, of all types.
  [[nodiscard]] std::vector<std::string> names() const;

  // Number of float32 tensors inserted, and of all their values.
  [[nodiscard]] std::size_t num_tensors() const { return num_tensors_; }
  [[nodiscard]] std::size_t num_values() const { return num_values_; }

 private:
  struct Entry {
    WeightTensor tensor;
    std::string other_type;  // empty if float32
    bool used = false;
  };

  void insert_entry(std::string name, Entry&& entry);

  std::map<std::string, Entry, std::less<>> entries_;
  std::size_t num_tensors_ = 0;
  std::size_t num_values_ = 0;
};

// True for the counters of training steps that torch's batch norms keep beside
// their weights and that inference does not need.
[[nodiscard]] bool is_batch_counter(std::string_view name);

}  // namespace diarize
