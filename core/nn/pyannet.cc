#include "core/nn/pyannet.h"

#include "core/nn/pool_norm.h"
#include "core/nn/pyannet_worker.h"
#include "core/nn/take_tensor.h"

#include <ATen/ATen.h>

#include <cmath>
#include <string>
#include <utility>

namespace diarize::nn {
namespace {

constexpr std::int64_t kFilters = 80;
constexpr std::int64_t kFeatures = 60;
constexpr std::int64_t kHidden = 128;
constexpr std::int64_t kLayers = 4;
constexpr std::int64_t kSincTaps = 251;
constexpr std::int64_t kSincStride = 10;
constexpr double kLowestHz = 50.0;  // and narrowest band
constexpr double kHighestHz = 8000.0;
constexpr double kEpsilon = 1e-5;
constexpr std::int64_t kTypicalRows = 32 * kNumFrames;

std::span<const float> span_of(const at::Tensor& tensor) {
  return {tensor.const_data_ptr<float>(),
          static_cast<std::size_t>(tensor.numel())};
}

// The chunk's affine norm: what the waveform is multiplied by, and what is
// added.
struct WaveNorm {
  double scale;
  double offset;
};

WaveNorm wave_norm(std::span<const float> samples, double weight, double bias) {
  double sum = 0.0;
  for (const float sample : samples) sum += sample;
  const double mean = sum / static_cast<double>(samples.size());
  double squares = 0.0;
  for (const float sample : samples) {
    squares += (sample - mean) * (sample - mean);
  }
  const double variance = squares / static_cast<double>(samples.size());
  const double scale = weight / std::sqrt(variance + kEpsilon);
  return {scale, bias - scale * mean};
}

// Values stored as (rows, channels), seen as (1, channels, 1, rows).
at::Tensor as_image(const at::Tensor& values) {
  const std::int64_t rows = values.size(0);
  const std::int64_t channels = values.size(1);
  return values.as_strided({1, channels, 1, rows},
                           {rows * channels, 1, rows * channels, channels});
}

}  // namespace

PyanNet::PyanNet(WeightMap weights) {
  take_filters(weights);
  take_convolutions(weights);
  take_lstm(weights);
  take_linears(weights);
  weights.finish();
}

// The filters in float32 by the operations of asteroid-filterbanks 0.4
// (ParamSincFB): near-silent channels are amplified by the norm behind them,
// so other roundings would show.
void PyanNet::take_filters(WeightMap& weights) {
  const std::string bank = "sincnet.conv1d.0.filterbank.";
  const at::Tensor low =
      kLowestHz + take_tensor(weights, bank + "low_hz_", 40, 1).abs();
  const at::Tensor high =
      (low + kLowestHz + take_tensor(weights, bank + "band_hz_", 40, 1).abs())
          .clamp(kLowestHz, kHighestHz);
  const at::Tensor window = take_tensor(weights, bank + "window_", 125);
  const at::Tensor n = take_tensor(weights, bank + "n_", 1, 125);
  const at::Tensor band = high - low;
  const at::Tensor a = low.matmul(n);
  const at::Tensor b = high.matmul(n);
  const at::Tensor cosine = (b.sin() - a.sin()) / (n / 2) * window;
  const at::Tensor sine = (a.cos() - b.cos()) / (n / 2) * window;
  const at::Tensor filters =
      at::cat({at::cat({cosine, 2 * band, cosine.flip(1)}, 1),
               at::cat({sine, 0 * band, -sine.flip(1)}, 1)}) /
      (2 * at::cat({band, band}));
  wave_weight_ =
      take_tensor(weights, "sincnet.wav_norm1d.weight", 1).item<float>();
  wave_bias_ = take_tensor(weights, "sincnet.wav_norm1d.bias", 1).item<float>();
  filter_sums_ = filters.to(at::kDouble).sum(1).to(at::kFloat).contiguous();
  convs_.emplace_back(
      filters.view({kFilters, 1, 1, kSincTaps}), at::zeros({kFilters}),
      ConvGeometry{.stride = {1, kSincStride}}, Activation::kNone,
      std::array<std::int64_t, 4>{1, 1, 1, kChunkSamples});
}

void PyanNet::take_convolutions(WeightMap& weights) {
  const auto take_norm = [&](int index, std::int64_t channels) {
    const std::string name = "sincnet.norm1d." + std::to_string(index);
    norms_.push_back({take_tensor(weights, name + ".weight", channels),
                      take_tensor(weights, name + ".bias", channels)});
  };
  take_norm(0, kFilters);
  std::int64_t channels = kFilters;
  for (int index = 1; index <= 2; ++index) {
    const std::string name = "sincnet.conv1d." + std::to_string(index);
    const at::Tensor weight =
        take_tensor(weights, name + ".weight", kFeatures, channels, 5);
    convs_.emplace_back(
        weight.unsqueeze(2), take_tensor(weights, name + ".bias", kFeatures),
        ConvGeometry{}, Activation::kNone,
        std::array<std::int64_t, 4>{1, channels, 1, index == 1 ? 5325 : 1773});
    take_norm(index, kFeatures);
    channels = kFeatures;
  }
}

void PyanNet::take_lstm(WeightMap& weights) {
  std::int64_t inputs = kFeatures;
  for (std::int64_t layer = 0; layer < kLayers; ++layer) {
    for (const char* direction : {"", "_reverse"}) {
      const std::string end = "_l" + std::to_string(layer) + direction;
      const auto take = [&](const char* part, auto... shape) {
        lstm_.push_back(take_tensor(weights, "lstm." + (part + end), shape...));
      };
      take("weight_ih", 4 * kHidden, inputs);
      take("weight_hh", 4 * kHidden, kHidden);
      take("bias_ih", 4 * kHidden);
      take("bias_hh", 4 * kHidden);
    }
    inputs = 2 * kHidden;
  }
}

void PyanNet::take_linears(WeightMap& weights) {
  const auto take = [&](const std::string& name, std::int64_t outputs,
                        std::int64_t inputs, Activation activation) {
    linears_.emplace_back(
        take_tensor(weights, name + ".weight", outputs, inputs),
        take_tensor(weights, name + ".bias", outputs), activation,
        kTypicalRows);
  };
  take("linear.0", kHidden, 2 * kHidden, Activation::kLeakyRelu);
  take("linear.1", kHidden, kHidden, Activation::kLeakyRelu);
  take("classifier", kNumClasses, kHidden, Activation::kNone);
}

std::unique_ptr<SegmenterWorker> PyanNet::make_worker() const {
  return std::make_unique<PyanNetWorker>(*this);
}

at::Tensor PyanNet::sinc(std::span<const float> samples) const {
  const auto length = static_cast<std::int64_t>(samples.size());
  // torch reads only; from_blob has no const form.
  const at::Tensor wave =
      at::from_blob(const_cast<float*>(samples.data()), {1, 1, 1, length},
                    {length, 1, length, 1}, at::TensorOptions(at::kFloat));
  const at::Tensor result = convs_[0](wave);
  return result.permute({0, 2, 3, 1}).contiguous().view({-1, kFilters});
}

void PyanNet::sincnet(std::span<const float> samples, const float* columns,
                      std::span<float> out) const {
  const WaveNorm norm = wave_norm(samples, wave_weight_, wave_bias_);
  const at::Tensor shift = filter_sums_ * norm.offset;
  constexpr std::int64_t kPooled = ((kChunkSamples - 251) / 10 + 1) / 3;
  at::Tensor values = at::empty({kPooled, kFilters}, at::kFloat);
  pool_magnitudes(columns, kPooled, kFilters,
                  {static_cast<float>(norm.scale), span_of(shift)},
                  values.mutable_data_ptr<float>());
  normalize_leaky_relu(values.mutable_data_ptr<float>(), kPooled, kFilters,
                       {span_of(norms_[0].weight), span_of(norms_[0].bias)});
  for (int index = 1; index <= 2; ++index) {
    const at::Tensor filtered = convs_[index](as_image(values));
    const std::int64_t rows = filtered.size(3) / 3;
    at::Tensor pooled = at::empty({rows, kFeatures}, at::kFloat);
    float* data = index == 2 ? out.data() : pooled.mutable_data_ptr<float>();
    pool(filtered.const_data_ptr<float>(), rows, kFeatures, data);
    normalize_leaky_relu(
        data, rows, kFeatures,
        {span_of(norms_[index].weight), span_of(norms_[index].bias)});
    values = std::move(pooled);
  }
}

at::Tensor PyanNet::scores(const at::Tensor& features) const {
  const std::int64_t num_chunks = features.size(0);
  const at::Tensor zeros = at::zeros({2 * kLayers, num_chunks, kHidden});
  const at::Tensor hidden = std::get<0>(at::lstm(
      features, {zeros, zeros}, lstm_, true, kLayers, 0.0, false, true, true));
  at::Tensor values = hidden.reshape({-1, 2 * kHidden});
  for (const PackedLinear& linear : linears_) values = linear(values);
  return at::log_softmax(values, -1)
      .view({num_chunks, kNumFrames, kNumClasses});
}

}  // namespace diarize::nn
