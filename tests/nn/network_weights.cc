#include "tests/nn/network_weights.h"

#include "io/checkpoint.h"
#include "tests/support/shared_data.h"

#include <cmath>
#include <numbers>
#include <random>
#include <utility>
#include <vector>

namespace diarize::test {
namespace {

// Adds tensors of random values to a set.
class Maker {
 public:
  explicit Maker(unsigned seed) : random_(seed) {}

  void uniform(const std::string& name, std::vector<std::size_t> shape,
               float low, float high) {
    WeightTensor& tensor = weights_[name];
    std::size_t count = 1;
    for (const std::size_t size : shape) count *= size;
    std::uniform_real_distribution<float> value(low, high);
    tensor.shape = std::move(shape);
    tensor.values.resize(count);
    for (float& v : tensor.values) v = value(random_);
  }

  // Keeps the variance of what it multiplies, doubled where a ReLU follows.
  void product(const std::string& name, std::vector<std::size_t> shape) {
    std::size_t inputs = 1;
    for (std::size_t i = 1; i < shape.size(); ++i) inputs *= shape[i];
    const float bound = std::sqrt(6.0F / static_cast<float>(inputs));
    uniform(name, std::move(shape), -bound, bound);
  }

  void batch_norm(const std::string& name, std::size_t channels,
                  bool has_affine = true) {
    if (has_affine) {
      uniform(name + ".weight", {channels}, 0.5F, 1.5F);
      uniform(name + ".bias", {channels}, -0.5F, 0.5F);
    }
    uniform(name + ".running_mean", {channels}, -0.5F, 0.5F);
    uniform(name + ".running_var", {channels}, 0.5F, 2.0F);
  }

  void set(const std::string& name, WeightTensor tensor) {
    weights_[name] = std::move(tensor);
  }

  [[nodiscard]] NamedWeights take() { return std::move(weights_); }

 private:
  std::mt19937 random_;
  NamedWeights weights_;
};

void add_filter_bank(Maker& maker) {
  const std::string bank = "sincnet.conv1d.0.filterbank.";
  WeightTensor low{{40, 1}, {}};
  WeightTensor band{{40, 1}, {}};
  WeightTensor window{{125}, {}};
  WeightTensor n{{1, 125}, {}};
  for (int i = 0; i < 40; ++i) {
    low.values.push_back(30.0F + 180.0F * static_cast<float>(i));
    band.values.push_back(90.0F + 3.0F * static_cast<float>(i));
  }
  for (int k = -125; k < 0; ++k) {
    const double angle = 2.0 * std::numbers::pi * (k + 125) / 250.0;
    window.values.push_back(static_cast<float>(0.54 - 0.46 * std::cos(angle)));
    n.values.push_back(
        static_cast<float>(2.0 * std::numbers::pi * k / 16000.0));
  }
  maker.set(bank + "low_hz_", std::move(low));
  maker.set(bank + "band_hz_", std::move(band));
  maker.set(bank + "window_", std::move(window));
  maker.set(bank + "n_", std::move(n));
}

void add_dense_layer(Maker& maker, const std::string& name,
                     std::size_t channels) {
  maker.batch_norm(name + ".nonlinear1.batchnorm", channels);
  maker.product(name + ".linear1.weight", {128, channels, 1});
  maker.batch_norm(name + ".nonlinear2.batchnorm", 128);
  const std::string cam = name + ".cam_layer.";
  maker.product(cam + "linear_local.weight", {32, 128, 3});
  maker.product(cam + "linear1.weight", {64, 128, 1});
  maker.uniform(cam + "linear1.bias", {64}, -0.2F, 0.2F);
  maker.product(cam + "linear2.weight", {32, 64, 1});
  maker.uniform(cam + "linear2.bias", {32}, -0.2F, 0.2F);
}

void add_head(Maker& maker) {
  maker.product("head.conv1.weight", {32, 1, 3, 3});
  maker.batch_norm("head.bn1", 32);
  for (const char* layer : {"head.layer1.", "head.layer2."}) {
    for (const char* index : {"0", "1"}) {
      const std::string name = std::string(layer) + index;
      for (const char* part : {"1", "2"}) {
        maker.product(name + ".conv" + part + ".weight", {32, 32, 3, 3});
        maker.batch_norm(name + ".bn" + part, 32);
      }
      if (*index == '1') continue;
      maker.product(name + ".shortcut.0.weight", {32, 32, 1, 1});
      maker.batch_norm(name + ".shortcut.1", 32);
    }
  }
  maker.product("head.conv2.weight", {32, 32, 3, 3});
  maker.batch_norm("head.bn2", 32);
}

}  // namespace

NamedWeights random_pyannet_weights(unsigned seed) {
  Maker maker(seed);
  add_filter_bank(maker);
  maker.uniform("sincnet.wav_norm1d.weight", {1}, 0.5F, 1.5F);
  maker.uniform("sincnet.wav_norm1d.bias", {1}, -0.1F, 0.1F);
  std::size_t channels = 80;
  for (const std::string index : {"0", "1", "2"}) {
    if (index != "0") {
      const std::string conv = "sincnet.conv1d." + index;
      maker.product(conv + ".weight", {60, channels, 5});
      maker.uniform(conv + ".bias", {60}, -0.2F, 0.2F);
      channels = 60;
    }
    maker.uniform("sincnet.norm1d." + index + ".weight", {channels}, 0.5F,
                  1.5F);
    maker.uniform("sincnet.norm1d." + index + ".bias", {channels}, -0.5F, 0.5F);
  }
  std::size_t inputs = 60;
  for (const std::string layer : {"0", "1", "2", "3"}) {
    for (const std::string direction : {"", "_reverse"}) {
      const std::string end = "_l" + layer + direction;
      maker.uniform("lstm.weight_ih" + end, {512, inputs}, -0.1F, 0.1F);
      maker.uniform("lstm.weight_hh" + end, {512, 128}, -0.1F, 0.1F);
      maker.uniform("lstm.bias_ih" + end, {512}, -0.1F, 0.1F);
      maker.uniform("lstm.bias_hh" + end, {512}, -0.1F, 0.1F);
    }
    inputs = 256;
  }
  maker.product("linear.0.weight", {128, 256});
  maker.uniform("linear.0.bias", {128}, -0.2F, 0.2F);
  maker.product("linear.1.weight", {128, 128});
  maker.uniform("linear.1.bias", {128}, -0.2F, 0.2F);
  maker.product("classifier.weight", {7, 128});
  maker.uniform("classifier.bias", {7}, -0.2F, 0.2F);
  return maker.take();
}

NamedWeights random_campplus_weights(unsigned seed) {
  Maker maker(seed);
  add_head(maker);
  maker.product("xvector.tdnn.linear.weight", {128, 320, 5});
  maker.batch_norm("xvector.tdnn.nonlinear.batchnorm", 128);
  std::size_t channels = 128;
  constexpr int kLayers[] = {12, 24, 16};
  constexpr std::size_t kOut[] = {256, 512, 512};
  for (int block = 0; block < 3; ++block) {
    const std::string number = std::to_string(block + 1);
    for (int layer = 1; layer <= kLayers[block]; ++layer) {
      add_dense_layer(
          maker, "xvector.block" + number + ".tdnnd" + std::to_string(layer),
          channels);
      channels += 32;
    }
    const std::string transit = "xvector.transit" + number;
    maker.batch_norm(transit + ".nonlinear.batchnorm", channels);
    maker.product(transit + ".linear.weight", {kOut[block], channels, 1});
    channels = kOut[block];
  }
  maker.batch_norm("xvector.out_nonlinear.batchnorm", 512);
  maker.product("xvector.dense.linear.weight", {192, 1024, 1});
  maker.batch_norm("xvector.dense.nonlinear.batchnorm", 192, false);
  return maker.take();
}

WeightMap weight_map(const NamedWeights& weights) {
  WeightMap result;
  for (const auto& [name, tensor] : weights) result.insert(name, tensor);
  return result;
}

std::optional<WeightMap> trained_weights(std::string_view file) {
  const auto path =
      checkout_data(std::string("models/default/") + std::string(file));
  if (!path) return std::nullopt;
  return read_checkpoint(*path).weights;
}

}  // namespace diarize::test
