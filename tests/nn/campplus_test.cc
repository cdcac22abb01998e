#include "core/nn/campplus.h"

#include "core/error.h"
#include "core/nn/torch_scope.h"
#include "tests/nn/golden.h"
#include "tests/nn/network_weights.h"
#include "tests/nn/plain_networks.h"

#include <ATen/ATen.h>
#include <doctest/doctest.h>

#include <array>
#include <string>

namespace diarize::test {
namespace {

constexpr double kStageTolerance = 1e-4;      // relative to the largest value
constexpr double kEmbeddingTolerance = 1e-3;  // absolute

// The golden layout of the head: (320, T), index = channel * 10 + mel row.
at::Tensor head_to_golden(const at::Tensor& head) {
  return head[0].view({-1, 10, 32}).permute({2, 1, 0}).reshape({320, -1});
}

at::Tensor head_from_golden(const at::Tensor& golden) {
  return golden.view({32, 10, -1})
      .permute({2, 1, 0})
      .reshape({1, -1, 320})
      .contiguous();
}

// (channels, T) of a golden stage as (1, T, channels).
at::Tensor from_golden(const at::Tensor& golden) {
  return golden.t().contiguous().unsqueeze(0);
}

}  // namespace

TEST_SUITE("campplus") {
  TEST_CASE("random weights give what the plain operators give") {
    nn::in_torch([] {
      constexpr double kTolerance = 2e-5;  // float32, 60 layers
      const NamedWeights weights = random_campplus_weights(1);
      const nn::CamPlusPlus network(weight_map(weights));
      for (const std::int64_t rows : {20, 21, 150, 998}) {
        const at::Tensor features = at::randn({2, rows, 80});
        CHECK(relative_difference(network.embed(features),
                                  plain_campplus(weights, features)) <
              kTolerance);
      }
    });
  }

  TEST_CASE("a piece has the same embedding alone and in every batch") {
    nn::in_torch([] {
      const nn::CamPlusPlus network(weight_map(random_campplus_weights(2)));
      for (const std::int64_t rows : {3, 4, 20, 47, 149, 150, 998}) {
        const std::int64_t batch = rows > 150 ? 3 : 16;
        const at::Tensor features = at::randn({batch, rows, 80});
        const at::Tensor all = network.embed(features);
        for (const std::int64_t size : {1, 2, 7, 15}) {
          if (size >= batch) continue;
          CHECK(at::equal(network.embed(features.narrow(0, 1, size)),
                          all.narrow(0, 1, size)));
        }
      }
    });
  }

  TEST_CASE("a missing or surplus tensor is an error that names it") {
    NamedWeights weights = random_campplus_weights(3);
    weights["head.extra"] = {{1}, {0.0F}};
    CHECK_THROWS_WITH_AS(nn::CamPlusPlus(weight_map(weights)),
                         doctest::Contains("head.extra"), FatalError);
    weights.erase("head.extra");
    weights.erase("head.bn1.bias");
    CHECK_THROWS_WITH_AS(nn::CamPlusPlus(weight_map(weights)),
                         doctest::Contains("head.bn1.bias"), FatalError);
  }

  TEST_CASE("each stage turns its golden input into its golden output") {
    auto weights = trained_weights("campplus_cn_en_common.pt");
    if (!weights) return;
    const nn::CamPlusPlus network(std::move(*weights));
    for (const std::string recording :
         {"pyannote_sample", "ami_EN2002a", "falcon_test"}) {
      const auto golden = golden_file(recording, "campplus_piece");
      if (!golden) return;
      nn::in_torch([&] {
        const auto stage = [&](const char* name) {
          return golden_tensor(*golden, name);
        };
        const auto difference = [&](const at::Tensor& found, const char* name) {
          return relative_difference(found[0].t(), stage(name));
        };
        CHECK(relative_difference(
                  head_to_golden(network.head(stage("input").unsqueeze(0))),
                  stage("head")) < kStageTolerance);
        CHECK(difference(network.tdnn(head_from_golden(stage("head"))),
                         "tdnn") < kStageTolerance);
        CHECK(difference(network.block(0, from_golden(stage("tdnn"))),
                         "transit1") < kStageTolerance);
        CHECK(difference(network.block(1, from_golden(stage("transit1"))),
                         "transit2") < kStageTolerance);
        CHECK(difference(network.block(2, from_golden(stage("transit2"))),
                         "transit3") < kStageTolerance);
        CHECK(difference(network.frames(from_golden(stage("transit3"))),
                         "frames") < kStageTolerance);
        CHECK(largest_difference(network.pool(from_golden(stage("frames")))[0],
                                 stage("embedding")) < kEmbeddingTolerance);
        CHECK(largest_difference(network.embed(stage("input").unsqueeze(0))[0],
                                 stage("embedding")) < kEmbeddingTolerance);
      });
    }
  }

  TEST_CASE("a chunk of several context segments has the golden stages") {
    auto weights = trained_weights("campplus_cn_en_common.pt");
    if (!weights) return;
    const nn::CamPlusPlus network(std::move(*weights));
    for (const std::string recording :
         {"pyannote_sample", "ami_EN2002a", "falcon_test"}) {
      const auto fbank = golden_file(recording, "fbank");
      const auto golden = golden_file(recording, "campplus_first_chunk");
      if (!fbank || !golden) return;
      nn::in_torch([&] {
        // Mean, unbiased deviation and largest magnitude of a stage.
        const auto check = [&](const at::Tensor& values, const char* name) {
          const at::Tensor expected = golden_tensor(*golden, name);
          const at::Tensor found =
              at::stack({values.mean(), values.std(true), values.abs().max()});
          CHECK(relative_difference(found, expected) < kStageTolerance);
        };
        const at::Tensor rows = golden_tensor(*fbank, "first_chunk");
        at::Tensor values =
            network.head((rows - rows.mean(0, true)).unsqueeze(0));
        check(values, "head");
        check(values = network.tdnn(values), "tdnn");
        for (int block = 0; block < nn::CamPlusPlus::kNumBlocks; ++block) {
          const std::string name = "transit" + std::to_string(block + 1);
          check(values = network.block(block, values), name.c_str());
        }
        check(values = network.frames(values), "frames");
        CHECK(largest_difference(network.pool(values)[0],
                                 golden_tensor(*golden, "embedding")) <
              kEmbeddingTolerance);
      });
    }
  }
}

}  // namespace diarize::test
