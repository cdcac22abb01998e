#include "core/weights.h"

#include "core/error.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace {

using diarize::FatalError;
using diarize::WeightMap;

WeightMap two_tensors() {
  WeightMap weights;
  weights.insert("linear.weight", {{2, 3}, {1, 2, 3, 4, 5, 6}});
  weights.insert("linear.bias", {{2}, {7, 8}});
  return weights;
}

}  // namespace

TEST_SUITE("weights") {
  TEST_CASE("a network that takes everything once finishes") {
    WeightMap weights = two_tensors();
    CHECK(weights.num_tensors() == 2);
    CHECK(weights.num_values() == 8);
    CHECK(weights.take("linear.weight", {2, 3}).values[5] == 6.0F);
    CHECK(weights.take("linear.bias", {2}).values == std::vector<float>{7, 8});
    CHECK_NOTHROW(weights.finish());
  }

  TEST_CASE("a missing tensor is named with the shape expected") {
    WeightMap weights = two_tensors();
    CHECK_THROWS_WITH_AS((void)weights.take("linear.scale", {4, 1}),
                         "tensor 'linear.scale' is missing, expected float32 "
                         "values of shape (4, 1)",
                         FatalError);
  }

  TEST_CASE("another shape is an error that shows both") {
    WeightMap weights = two_tensors();
    CHECK_THROWS_WITH_AS((void)weights.take("linear.weight", {3, 2}),
                         "tensor 'linear.weight' has shape (2, 3), expected "
                         "float32 values of shape (3, 2)",
                         FatalError);
    CHECK_THROWS_AS((void)weights.take("linear.weight", {6}), FatalError);
    CHECK_THROWS_AS((void)weights.take("linear.weight", {}), FatalError);
  }

  TEST_CASE("taking a tensor twice is a mistake of the program") {
    WeightMap weights = two_tensors();
    (void)weights.take("linear.bias", {2});
    CHECK_THROWS_AS((void)weights.take("linear.bias", {2}), std::logic_error);
  }

  TEST_CASE("surplus tensors are named when the network is complete") {
    WeightMap weights = two_tensors();
    (void)weights.take("linear.bias", {2});
    CHECK_THROWS_WITH_AS(
        weights.finish(),
        "1 tensors belong to no part of the network: 'linear.weight'",
        FatalError);
    for (const char* name : {"a", "b", "c"}) weights.insert(name, {{1}, {0}});
    CHECK_THROWS_WITH_AS(
        weights.finish(),
        "4 tensors belong to no part of the network: 'a', 'b', 'c', ...",
        FatalError);
  }

  TEST_CASE("what the caller's rule names may be left over") {
    WeightMap weights;
    weights.insert_other("bn.num_batches_tracked", "int64");
    weights.insert("bn.weight", {{1}, {1}});
    CHECK(weights.discard(diarize::is_batch_counter) == 1);
    CHECK(weights.discard(diarize::is_batch_counter) == 0);
    CHECK_THROWS_AS(weights.finish(), FatalError);
    (void)weights.take("bn.weight", {1});
    CHECK_NOTHROW(weights.finish());
  }

  TEST_CASE("values of another type cannot be taken") {
    WeightMap weights;
    weights.insert_other("bn.weight", "float16");
    CHECK(weights.num_tensors() == 0);
    CHECK_THROWS_WITH_AS((void)weights.take("bn.weight", {1}),
                         "tensor 'bn.weight' has float16 values, expected "
                         "float32 values of shape (1)",
                         FatalError);
  }

  TEST_CASE("a name is there once") {
    WeightMap weights = two_tensors();
    CHECK_THROWS_AS(weights.insert("linear.bias", {{1}, {0}}), FatalError);
    CHECK_THROWS_AS(weights.insert_other("linear.bias", "int64"), FatalError);
    CHECK(weights.names() ==
          std::vector<std::string>{"linear.bias", "linear.weight"});
    CHECK(weights.has("linear.bias"));
    CHECK_FALSE(weights.has("bias"));
  }

  TEST_CASE("a tensor whose values do not fill its shape is refused") {
    WeightMap weights;
    CHECK_THROWS_AS(weights.insert("a", {{2, 2}, {1, 2, 3}}), std::logic_error);
  }
}
