#include "core/nn/pyannet.h"

#include "core/cpu_level.h"
#include "core/error.h"
#include "core/nn/torch_scope.h"
#include "tests/nn/golden.h"
#include "tests/nn/network_weights.h"
#include "tests/nn/noise.h"
#include "tests/nn/plain_networks.h"

#include <ATen/ATen.h>
#include <doctest/doctest.h>

namespace diarize::test {
namespace {

constexpr double kGoldenTolerance = 1e-3;  // of make_goldens.py's README
constexpr std::int64_t kColumnStep = 10;
constexpr std::int64_t kFilters = 80;

at::Tensor as_batch(const std::vector<float>& samples) {
  return at::from_blob(const_cast<float*>(samples.data()),
                       {1, static_cast<std::int64_t>(samples.size())},
                       at::TensorOptions(at::kFloat));
}

at::Tensor sincnet_of(const nn::PyanNet& network,
                      std::span<const float> chunk) {
  at::Tensor result = at::empty({kNumFrames, 60}, at::kFloat);
  const at::Tensor columns = network.sinc(chunk);
  network.sincnet(chunk, columns.const_data_ptr<float>(),
                  {result.mutable_data_ptr<float>(),
                   static_cast<std::size_t>(result.numel())});
  return result;
}

}  // namespace

TEST_SUITE("pyannet") {
  TEST_CASE("random weights give what the plain operators give") {
    nn::in_torch([] {
      // float32 noise of other summation orders, through 589 recurrent steps.
      constexpr double kTolerance = 2e-5;
      const NamedWeights weights = random_pyannet_weights(1);
      const nn::PyanNet network(weight_map(weights));
      const std::vector<float> samples = noise(kChunkSamples, 2, 0.1F, 0.01F);
      const at::Tensor features = sincnet_of(network, samples);
      CHECK(relative_difference(features.t(),
                                plain_sincnet(weights, as_batch(samples))[0]) <
            kTolerance);
      CHECK(largest_difference(network.scores(features.unsqueeze(0)),
                               plain_pyannet(weights, as_batch(samples))) <
            kTolerance);
    });
  }

  TEST_CASE("bfloat16 moves scores, with AMX, in the fourth digit") {
    nn::in_torch([] {
      constexpr double kTolerance = 1e-4;
      const NamedWeights weights = random_pyannet_weights(1);
      const at::Tensor features = at::randn({3, kNumFrames, 60});
      const at::Tensor exact =
          nn::PyanNet(weight_map(weights)).scores(features);
      for (const CpuLevel level :
           {CpuLevel::kAvx512, CpuLevel::kAvx512Bf16, CpuLevel::kAmx}) {
        if (level > cpu_level()) continue;
        const CpuLevelLimit limit(level);
        const nn::PyanNet network(weight_map(weights), Precision::kBfloat16);
        const at::Tensor scores = network.scores(features);
        CHECK(largest_difference(scores, exact) < kTolerance);
        CHECK(at::equal(scores, exact) == (level < CpuLevel::kAmx));
        CHECK(at::equal(network.scores(features.narrow(0, 1, 1)),
                        scores.narrow(0, 1, 1)));
      }
    });
  }

  TEST_CASE("features of another shape are a logic error") {
    nn::in_torch([] {
      const nn::PyanNet network(weight_map(random_pyannet_weights(1)));
      CHECK_THROWS_AS((void)network.scores(at::zeros({1, kNumFrames - 1, 60})),
                      std::logic_error);
      CHECK_THROWS_AS((void)network.scores(at::zeros({1, kNumFrames, 64})),
                      std::logic_error);
      CHECK(network.scores(at::zeros({0, kNumFrames, 60})).size(0) == 0);
    });
  }

  TEST_CASE("a constant chunk is finite and equals the plain operators") {
    nn::in_torch([] {
      const NamedWeights weights = random_pyannet_weights(3);
      const nn::PyanNet network(weight_map(weights));
      for (const float level : {0.0F, 0.25F}) {
        const std::vector<float> samples(kChunkSamples, level);
        const at::Tensor scores =
            network.scores(sincnet_of(network, samples).unsqueeze(0));
        CHECK(scores.isfinite().all().item<bool>());
        if (level == 0.0F) {
          CHECK(largest_difference(
                    scores, plain_pyannet(weights, as_batch(samples))) < 1e-4);
        }
      }
    });
  }

  TEST_CASE("sinc filters do not depend on where a chunk lies in a stretch") {
    nn::in_torch([] {
      const nn::PyanNet network(weight_map(random_pyannet_weights(4)));
      const std::vector<float> samples =
          noise(2 * kChunkSamples, 5, 0.1F, 0.01F);
      const at::Tensor all = network.sinc(samples);
      for (const std::int64_t start : {0, 160, 40000, 160000}) {
        const at::Tensor alone =
            network.sinc(std::span(samples).subspan(start, kChunkSamples));
        CHECK(at::equal(alone,
                        all.narrow(0, start / kColumnStep, alone.size(0))));
        CHECK(alone.size(1) == kFilters);
      }
    });
  }

  TEST_CASE("a chunk has the same scores alone and in every batch") {
    nn::in_torch([] {
      const nn::PyanNet network(weight_map(random_pyannet_weights(6)));
      const at::Tensor features = at::randn({32, kNumFrames, 60});
      const at::Tensor all = network.scores(features);
      for (const std::int64_t size : {1, 2, 3, 5, 8, 13, 16, 31}) {
        CHECK(at::equal(network.scores(features.narrow(0, 1, size)),
                        all.narrow(0, 1, size)));
      }
    });
  }

  TEST_CASE("a missing or surplus tensor is an error that names it") {
    NamedWeights weights = random_pyannet_weights(7);
    weights["lstm.weight_ih_l4"] = {{1}, {0.0F}};
    CHECK_THROWS_WITH_AS(nn::PyanNet(weight_map(weights)),
                         doctest::Contains("lstm.weight_ih_l4"), FatalError);
    weights.erase("lstm.weight_ih_l4");
    weights.erase("classifier.bias");
    CHECK_THROWS_WITH_AS(nn::PyanNet(weight_map(weights)),
                         doctest::Contains("classifier.bias"), FatalError);
  }

  TEST_CASE(
      "the first chunk of a recording has the SincNet values of the "
      "reference") {
    const auto golden = golden_file("pyannote_sample", "segmentation");
    const auto samples = recording_samples("pyannote_sample.wav");
    auto weights = trained_weights("pytorch_model.bin");
    if (!golden || !samples || !weights) return;
    nn::in_torch([&] {
      const nn::PyanNet network(std::move(*weights));
      const at::Tensor features =
          sincnet_of(network, std::span(*samples).first(kChunkSamples));
      CHECK(largest_difference(features.t(),
                               golden_tensor(*golden, "sincnet_first_chunk")) <
            kGoldenTolerance);
    });
  }

  TEST_CASE("the golden SincNet values give the golden scores") {
    const auto golden = golden_file("pyannote_sample", "segmentation");
    auto weights = trained_weights("pytorch_model.bin");
    if (!golden || !weights) return;
    nn::in_torch([&] {
      const nn::PyanNet network(std::move(*weights));
      const at::Tensor features =
          golden_tensor(*golden, "sincnet_first_chunk").t().contiguous();
      CHECK(largest_difference(network.scores(features.unsqueeze(0))[0],
                               golden_tensor(*golden, "logp")[0]) <
            kGoldenTolerance);
    });
  }
}

}  // namespace diarize::test
