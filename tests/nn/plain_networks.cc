#include "tests/nn/plain_networks.h"

#include <ATen/ATen.h>

#include <string>
#include <vector>

namespace diarize::test {
namespace {

// Looks weights up by name, as tensors.
class Weights {
 public:
  explicit Weights(const NamedWeights& weights) : weights_(weights) {}

  at::Tensor operator()(const std::string& name) const {
    const WeightTensor& weight = weights_.at(name);
    const std::vector<std::int64_t> shape(weight.shape.begin(),
                                          weight.shape.end());
    return at::from_blob(const_cast<float*>(weight.values.data()), shape,
                         at::TensorOptions(at::kFloat));
  }

  at::Tensor batch_norm(const at::Tensor& values, const std::string& name,
                        bool has_affine = true) const {
    const Weights& self = *this;
    at::Tensor weight;
    at::Tensor bias;
    if (has_affine) {
      weight = self(name + ".weight");
      bias = self(name + ".bias");
    }
    return at::batch_norm(values, weight, bias, self(name + ".running_mean"),
                          self(name + ".running_var"), false, 0.0, 1e-5, false);
  }

  at::Tensor instance_norm(const at::Tensor& values,
                           const std::string& name) const {
    const Weights& self = *this;
    return at::instance_norm(values, self(name + ".weight"),
                             self(name + ".bias"), {}, {}, true, 0.0, 1e-5,
                             false);
  }

 private:
  const NamedWeights& weights_;
};

at::Tensor sinc_filters(const Weights& weights) {
  const std::string bank = "sincnet.conv1d.0.filterbank.";
  const at::Tensor low = 50 + weights(bank + "low_hz_").abs();
  const at::Tensor high =
      at::clamp(low + 50 + weights(bank + "band_hz_").abs(), 50, 8000);
  const at::Tensor n = weights(bank + "n_");
  const at::Tensor window = weights(bank + "window_");
  const at::Tensor band = high - low;
  const at::Tensor a = low.matmul(n);
  const at::Tensor b = high.matmul(n);
  const at::Tensor cosine = (b.sin() - a.sin()) / (n / 2) * window;
  const at::Tensor sine = (a.cos() - b.cos()) / (n / 2) * window;
  return (at::cat({at::cat({cosine, 2 * band, cosine.flip(1)}, 1),
                   at::cat({sine, 0 * band, -sine.flip(1)}, 1)}) /
          (2 * at::cat({band, band})))
      .unsqueeze(1);
}

at::Tensor residual_block(const Weights& weights, const at::Tensor& values,
                          const std::string& name, std::int64_t stride) {
  const auto conv = [&](const at::Tensor& in, const char* part,
                        std::int64_t step, std::int64_t padding) {
    return at::conv2d(in, weights(name + part + ".weight"), {}, {step, 1},
                      padding);
  };
  at::Tensor inner =
      weights.batch_norm(conv(values, ".conv1", stride, 1), name + ".bn1");
  inner = weights.batch_norm(conv(inner.relu(), ".conv2", 1, 1), name + ".bn2");
  at::Tensor shortcut = values;
  if (stride == 2) {
    shortcut = weights.batch_norm(conv(values, ".shortcut.0", 2, 0),
                                  name + ".shortcut.1");
  }
  return at::relu(inner + shortcut);
}

at::Tensor dense_layer(const Weights& weights, const at::Tensor& values,
                       const std::string& name, std::int64_t dilation) {
  at::Tensor h = weights.batch_norm(values, name + ".nonlinear1.batchnorm");
  h = at::conv1d(h.relu(), weights(name + ".linear1.weight"));
  h = weights.batch_norm(h, name + ".nonlinear2.batchnorm").relu();
  const std::string cam = name + ".cam_layer.";
  const at::Tensor local = at::conv1d(h, weights(cam + "linear_local.weight"),
                                      {}, 1, dilation, dilation);
  const at::Tensor context =
      h.mean(-1, true) + at::avg_pool1d(h, 100, 100, 0, true);
  at::Tensor gate = at::conv1d(context, weights(cam + "linear1.weight"),
                               weights(cam + "linear1.bias"));
  gate = at::conv1d(gate.relu(), weights(cam + "linear2.weight"),
                    weights(cam + "linear2.bias"))
             .sigmoid();
  return local * gate.repeat_interleave(100, -1).narrow(-1, 0, local.size(-1));
}

}  // namespace

at::Tensor plain_sincnet(const NamedWeights& named, const at::Tensor& samples) {
  const Weights weights(named);
  at::Tensor y =
      weights.instance_norm(samples.unsqueeze(1), "sincnet.wav_norm1d");
  y = at::conv1d(y, sinc_filters(weights), {}, 10).abs();
  y = at::leaky_relu(
      weights.instance_norm(at::max_pool1d(y, 3), "sincnet.norm1d.0"));
  for (const std::string index : {"1", "2"}) {
    const std::string conv = "sincnet.conv1d." + index;
    y = at::conv1d(y, weights(conv + ".weight"), weights(conv + ".bias"));
    y = at::leaky_relu(
        weights.instance_norm(at::max_pool1d(y, 3), "sincnet.norm1d." + index));
  }
  return y;
}

at::Tensor plain_pyannet(const NamedWeights& named, const at::Tensor& samples) {
  const Weights weights(named);
  const at::Tensor features = plain_sincnet(named, samples).transpose(1, 2);
  std::vector<at::Tensor> parameters;
  for (const std::string layer : {"0", "1", "2", "3"}) {
    for (const std::string direction : {"", "_reverse"}) {
      for (const std::string part :
           {"weight_ih", "weight_hh", "bias_ih", "bias_hh"}) {
        parameters.push_back(
            weights("lstm." + part + "_l" + layer + direction));
      }
    }
  }
  const at::Tensor zeros = at::zeros({8, samples.size(0), 128});
  at::Tensor y = std::get<0>(at::lstm(features, {zeros, zeros}, parameters,
                                      true, 4, 0.0, false, true, true));
  for (const std::string name : {"linear.0", "linear.1", "classifier"}) {
    y = at::linear(y, weights(name + ".weight"), weights(name + ".bias"));
    if (name != "classifier") y = at::leaky_relu(y);
  }
  return at::log_softmax(y, -1);
}

at::Tensor plain_campplus(const NamedWeights& named,
                          const at::Tensor& features) {
  const Weights weights(named);
  at::Tensor y = at::conv2d(features.transpose(1, 2).unsqueeze(1),
                            weights("head.conv1.weight"), {}, 1, 1);
  y = weights.batch_norm(y, "head.bn1").relu();
  for (const char* layer : {"head.layer1.", "head.layer2."}) {
    y = residual_block(weights, y, std::string(layer) + "0", 2);
    y = residual_block(weights, y, std::string(layer) + "1", 1);
  }
  y = at::conv2d(y, weights("head.conv2.weight"), {}, {2, 1}, 1);
  y = weights.batch_norm(y, "head.bn2").relu().flatten(1, 2);
  y = at::conv1d(y, weights("xvector.tdnn.linear.weight"), {}, 2, 2);
  y = weights.batch_norm(y, "xvector.tdnn.nonlinear.batchnorm").relu();
  constexpr int kLayers[] = {12, 24, 16};
  for (int block = 0; block < 3; ++block) {
    const std::string number = std::to_string(block + 1);
    for (int layer = 1; layer <= kLayers[block]; ++layer) {
      const std::string name =
          "xvector.block" + number + ".tdnnd" + std::to_string(layer);
      y = at::cat({y, dense_layer(weights, y, name, block == 0 ? 1 : 2)}, 1);
    }
    const std::string transit = "xvector.transit" + number;
    y = weights.batch_norm(y, transit + ".nonlinear.batchnorm").relu();
    y = at::conv1d(y, weights(transit + ".linear.weight"));
  }
  y = weights.batch_norm(y, "xvector.out_nonlinear.batchnorm").relu();
  const at::Tensor statistics = at::cat({y.mean(-1), y.std(-1, true)}, 1);
  y = at::conv1d(statistics.unsqueeze(-1),
                 weights("xvector.dense.linear.weight"));
  return weights.batch_norm(y, "xvector.dense.nonlinear.batchnorm", false)
      .squeeze(-1);
}

}  // namespace diarize::test
