#include "core/nn/batch_norm.h"

#include "core/error.h"

#include <doctest/doctest.h>

namespace diarize::test {

TEST_SUITE("batch_norm") {
  TEST_CASE("scale and shift stand for the norm with and without weights") {
    for (const bool has_affine : {true, false}) {
      WeightMap weights;
      weights.insert("n.running_mean", {{2}, {1.0F, -2.0F}});
      weights.insert("n.running_var", {{2}, {4.0F, 0.25F}});
      if (has_affine) {
        weights.insert("n.weight", {{2}, {3.0F, -1.0F}});
        weights.insert("n.bias", {{2}, {0.5F, 0.0F}});
      }
      const nn::ChannelAffine norm =
          nn::take_batch_norm(weights, "n", 2, has_affine);
      CHECK_NOTHROW(weights.finish());
      const double weight = has_affine ? 3.0 : 1.0;
      const double bias = has_affine ? 0.5 : 0.0;
      // The value 7 of channel 0: mean 1, deviation 2.
      CHECK(7.0 * norm.scale[0] + norm.shift[0] ==
            doctest::Approx(weight * 3.0 + bias).epsilon(1e-5));
      const double sign = has_affine ? -1.0 : 1.0;
      CHECK(-1.0 * norm.scale[1] + norm.shift[1] ==
            doctest::Approx(sign * 2.0).epsilon(1e-4));
    }
  }

  TEST_CASE("another number of channels is refused") {
    WeightMap weights;
    weights.insert("n.running_mean", {{2}, {1.0F, -2.0F}});
    CHECK_THROWS_AS((void)nn::take_batch_norm(weights, "n", 3), FatalError);
  }
}

}  // namespace diarize::test
