#include "core/nn/campplus.h"

#include "core/error.h"
#include "core/nn/torch_scope.h"
#include "tests/nn/golden.h"
#include "tests/nn/network_weights.h"
#include "tests/nn/plain_networks.h"

#include <ATen/ATen.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

namespace diarize::test {
namespace {

constexpr double kStageTolerance = 1e-4;      // relative to the largest value
constexpr double kEmbeddingTolerance = 1e-3;  // absolute

Array<float, 2> to_array(const at::Tensor& values) {
  const at::Tensor dense = values.contiguous();
  const float* data = dense.const_data_ptr<float>();
  return {{static_cast<std::size_t>(dense.size(0)),
           static_cast<std::size_t>(dense.size(1))},
          std::vector<float>(data, data + dense.numel())};
}

at::Tensor to_tensor(const Array<float, 2>& values) {
  return at::from_blob(const_cast<float*>(values.data()),
                       {static_cast<std::int64_t>(values.size(0)),
                        static_cast<std::int64_t>(values.size(1))},
                       at::TensorOptions(at::kFloat))
      .clone();
}

// The stages of one piece, as (time, channels) tensors.
class Stages {
 public:
  explicit Stages(const nn::CamPlusPlus& network) : network_(network) {}

  // (T, 80) -> (T, 320) in the order of the reference, channel * 10 + mel.
  at::Tensor head(const at::Tensor& features) {
    const at::Tensor padded =
        to_tensor(network_.head(to_array(features), scratch_));
    return padded.narrow(0, kPadding, features.size(0))
        .view({-1, 10, 32})
        .transpose(1, 2)
        .reshape({-1, 320});
  }

  at::Tensor tdnn(const at::Tensor& head) {
    const at::Tensor ordered =
        head.view({-1, 32, 10}).transpose(1, 2).reshape({-1, 320});
    at::Tensor padded = at::zeros({head.size(0) + 2 * kPadding, 320});
    padded.narrow(0, kPadding, head.size(0)).copy_(ordered);
    const at::Tensor result = at::empty({(head.size(0) + 1) / 2, 128});
    network_.tdnn(to_array(padded), {result.mutable_data_ptr<float>(), 128});
    return result;
  }

  at::Tensor block(int index, const at::Tensor& values) {
    at::Tensor wide =
        at::zeros({values.size(0), nn::CamPlusPlus::block_channels(index)});
    wide.narrow(1, 0, values.size(1)).copy_(values);
    const std::int64_t width = nn::CamPlusPlus::out_channels(index);
    const at::Tensor result = at::empty({values.size(0), width});
    const std::array<std::int64_t, 1> lengths = {values.size(0)};
    Array<float, 2> buffer = to_array(wide);
    network_.block(index, buffer, lengths,
                   {result.mutable_data_ptr<float>(), width}, scratch_);
    return result;
  }

  at::Tensor frames(const at::Tensor& values) {
    Array<float, 2> result = to_array(values);
    network_.last_norm(result);
    return to_tensor(result);
  }

  at::Tensor pool(const at::Tensor& frames) {
    const Array<float, 2> values = to_array(frames);
    Array<float, 2> result({1, nn::CamPlusPlus::kDimension});
    network_.pool(values.data(), frames.size(0), result.row(0));
    return to_tensor(result)[0];
  }

  // Of several pieces at once.
  Array<float, 2> embed(std::span<const Array<float, 2>> features) {
    return network_.embed(features, scratch_);
  }

 private:
  static constexpr std::int64_t kPadding = nn::CamPlusPlusHead::kPadding;

  const nn::CamPlusPlus& network_;
  nn::CamPlusPlus::Scratch scratch_;
};

}  // namespace

TEST_SUITE("campplus") {
  TEST_CASE("random weights give what the plain operators give") {
    nn::in_torch([] {
      constexpr double kTolerance = 2e-5;  // float32, 60 layers
      const NamedWeights weights = random_campplus_weights(1);
      const nn::CamPlusPlus network(weight_map(weights));
      Stages stages(network);
      for (const std::int64_t rows : {3, 20, 21, 150, 998, 31}) {
        const at::Tensor features = at::randn({rows, 80});
        const std::vector<Array<float, 2>> pieces = {to_array(features)};
        CHECK(relative_difference(
                  to_tensor(stages.embed(pieces)),
                  plain_campplus(weights, features.unsqueeze(0))) < kTolerance);
      }
    });
  }

  TEST_CASE("a piece has the same embedding alone and beside any others") {
    nn::in_torch([] {
      const nn::CamPlusPlus network(weight_map(random_campplus_weights(2)));
      Stages stages(network);
      std::vector<Array<float, 2>> pieces;
      for (const std::int64_t rows : {150, 3, 149, 20, 998, 47, 150, 4, 151}) {
        pieces.push_back(to_array(at::randn({rows, 80})));
      }
      const Array<float, 2> all = stages.embed(pieces);
      for (std::size_t i = 0; i < pieces.size(); ++i) {
        const Array<float, 2> alone =
            Stages(network).embed(std::span(pieces).subspan(i, 1));
        CHECK(std::ranges::equal(alone.row(0), all.row(i)));
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
    Stages stages(network);
    for (const std::string recording :
         {"pyannote_sample", "ami_EN2002a", "falcon_test"}) {
      const auto golden = golden_file(recording, "campplus_piece");
      if (!golden) return;
      nn::in_torch([&] {
        const auto stage = [&](const char* name) {
          return golden_tensor(*golden, name);
        };
        const auto check = [&](const at::Tensor& found, const char* name) {
          CHECK(relative_difference(found.t(), stage(name)) < kStageTolerance);
        };
        check(stages.head(stage("input")), "head");
        check(stages.tdnn(stage("head").t()), "tdnn");
        check(stages.block(0, stage("tdnn").t()), "transit1");
        check(stages.block(1, stage("transit1").t()), "transit2");
        check(stages.block(2, stage("transit2").t()), "transit3");
        check(stages.frames(stage("transit3").t()), "frames");
        CHECK(largest_difference(stages.pool(stage("frames").t()),
                                 stage("embedding")) < kEmbeddingTolerance);
        const std::vector<Array<float, 2>> piece = {to_array(stage("input"))};
        CHECK(largest_difference(to_tensor(stages.embed(piece))[0],
                                 stage("embedding")) < kEmbeddingTolerance);
      });
    }
  }

  TEST_CASE("a chunk of several context segments has the golden stages") {
    auto weights = trained_weights("campplus_cn_en_common.pt");
    if (!weights) return;
    const nn::CamPlusPlus network(std::move(*weights));
    Stages stages(network);
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
        at::Tensor values = stages.head(rows - rows.mean(0, true));
        check(values, "head");
        check(values = stages.tdnn(values), "tdnn");
        for (int block = 0; block < nn::CamPlusPlus::kNumBlocks; ++block) {
          const std::string name = "transit" + std::to_string(block + 1);
          check(values = stages.block(block, values), name.c_str());
        }
        check(values = stages.frames(values), "frames");
        CHECK(largest_difference(stages.pool(values),
                                 golden_tensor(*golden, "embedding")) <
              kEmbeddingTolerance);
      });
    }
  }
}

}  // namespace diarize::test
