#include "core/nn/pyannet.h"

#include "core/nn/bfloat_tile.h"
#include "core/nn/pool_norm.h"
#include "core/nn/pyannet_worker.h"
#include "core/nn/take_tensor.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace diarize::nn {
namespace {

constexpr std::int64_t kFilters = 80;
constexpr std::int64_t kFeatures = 60;
constexpr std::int64_t kLayers = 4;
constexpr std::int64_t kLinear = 128;
constexpr std::int64_t kSincTaps = 251;
constexpr std::int64_t kSincStride = 10;
constexpr double kLowestHz = 50.0;  // and narrowest band
constexpr double kHighestHz = 8000.0;
constexpr double kEpsilon = 1e-5;
constexpr std::int64_t kTaps = 5;
constexpr std::int64_t kPaddedFeatures = 64;  // whole panels, and tiles
constexpr std::int64_t kPaddedFilters = 96;
constexpr std::int64_t kTypicalRows = 32 * kNumFrames;

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

// A convolution over time as a product: the inputs of a row, some rows of
// `channels` values, lie one behind the other. Outputs are padded to whole
// panels. weight: (outputs, channels, taps); bias: (outputs).
PanelMatrix as_product(const at::Tensor& weight, const at::Tensor& bias,
                       std::int64_t padded_outputs) {
  const std::int64_t outputs = weight.size(0);
  const std::int64_t inputs = weight.size(1) * weight.size(2);
  const std::int64_t padding = padded_outputs - outputs;
  const at::Tensor rows = weight.permute({0, 2, 1}).reshape({outputs, inputs});
  const at::Tensor matrix =
      at::cat({rows, at::zeros({padding, inputs})}).contiguous();
  const at::Tensor offsets = at::cat({bias, at::zeros({padding})});
  return {span_of(matrix), span_of(offsets), {inputs}};
}

// The largest of three rows of the product, for num_rows of them. The product
// is made in strips that stay in the first-level cache.
// in: (3 num_rows + kTaps - 1, channels); out: (num_rows, kFeatures).
void multiply_and_pool(const PanelMatrix& matrix, const float* in,
                       std::int64_t channels, std::int64_t num_rows,
                       float* out) {
  constexpr std::int64_t kStrip = 14;
  std::array<float, 3 * kStrip * kPaddedFeatures> strip;
  for (std::int64_t row = 0; row < num_rows; row += kStrip) {
    const std::int64_t rows = std::min(kStrip, num_rows - row);
    const RowsIn inputs{in + 3 * row * channels, channels};
    multiply(matrix, {&inputs, 1}, 3 * rows, false,
             {strip.data(), kPaddedFeatures});
    pool(strip.data(), kPaddedFeatures, rows, kFeatures, out + row * kFeatures);
  }
}

Precision lstm_precision(Precision precision) {
  return precision == Precision::kBfloat16 && has_amx() ? Precision::kBfloat16x3
                                                        : Precision::kFloat32;
}

}  // namespace

PyanNet::PyanNet(WeightMap weights, Precision precision) {
  take_filters(weights);
  take_convolutions(weights);
  take_lstm(weights, lstm_precision(precision));
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
  sinc_ = as_product(filters.view({kFilters, 1, kSincTaps}),
                     at::zeros({kFilters}), kPaddedFilters);
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
    convs_.push_back(as_product(
        take_tensor(weights, name + ".weight", kFeatures, channels, kTaps),
        take_tensor(weights, name + ".bias", kFeatures), kPaddedFeatures));
    take_norm(index, kFeatures);
    channels = kFeatures;
  }
}

// The weights of the first layer are padded with zeros, as its inputs are in
// scores().
void PyanNet::take_lstm(WeightMap& weights, Precision precision) {
  std::int64_t inputs = kFeatures;
  for (std::int64_t layer = 0; layer < kLayers; ++layer) {
    std::vector<at::Tensor> taken;
    const std::int64_t padded = layer == 0 ? kPaddedFeatures : inputs;
    const auto take_direction = [&](const std::string& direction) {
      const auto take = [&](const char* part, auto... shape) {
        const std::string end = "_l" + std::to_string(layer) + direction;
        return taken.emplace_back(
            take_tensor(weights, "lstm." + (part + end), shape...));
      };
      const at::Tensor input = take("weight_ih", 4 * kLstmHidden, inputs);
      const at::Tensor wide = taken.emplace_back(
          at::constant_pad_nd(input, {0, padded - inputs}).contiguous());
      return LstmWeights{
          span_of(wide),
          span_of(take("weight_hh", 4 * kLstmHidden, kLstmHidden)),
          span_of(take("bias_ih", 4 * kLstmHidden)),
          span_of(take("bias_hh", 4 * kLstmHidden))};
    };
    const LstmWeights forward = take_direction("");
    const LstmWeights backward = take_direction("_reverse");
    lstm_.emplace_back(forward, backward, padded, precision);
    inputs = 2 * kLstmHidden;
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
  take("linear.0", kLinear, 2 * kLstmHidden, Activation::kLeakyRelu);
  take("linear.1", kLinear, kLinear, Activation::kLeakyRelu);
  take("classifier", kNumClasses, kLinear, Activation::kNone);
}

std::unique_ptr<SegmenterWorker> PyanNet::make_worker() const {
  return std::make_unique<PyanNetWorker>(*this);
}

at::Tensor PyanNet::sinc(std::span<const float> samples) const {
  // Strips stay in the first-level cache until the padding is left out.
  constexpr std::int64_t kStrip = 56;
  std::array<float, kStrip * kPaddedFilters> strip;
  const std::int64_t num_columns =
      (std::ssize(samples) - kSincTaps) / kSincStride + 1;
  at::Tensor result = at::empty({num_columns, kFilters}, at::kFloat);
  auto* out = result.mutable_data_ptr<float>();
  for (std::int64_t column = 0; column < num_columns; column += kStrip) {
    const std::int64_t columns = std::min(kStrip, num_columns - column);
    const RowsIn inputs{samples.data() + column * kSincStride, kSincStride};
    multiply(sinc_, {&inputs, 1}, columns, false,
             {strip.data(), kPaddedFilters});
    for (std::int64_t i = 0; i < columns; ++i, out += kFilters) {
      std::copy_n(strip.data() + i * kPaddedFilters, kFilters, out);
    }
  }
  return result;
}

void PyanNet::sincnet(std::span<const float> samples, const float* columns,
                      std::span<float> out) const {
  const WaveNorm norm = wave_norm(samples, wave_weight_, wave_bias_);
  const at::Tensor shift = filter_sums_ * norm.offset;
  constexpr std::int64_t kRows0 =
      ((kChunkSamples - kSincTaps) / kSincStride + 1) / 3;
  constexpr std::int64_t kRows1 = (kRows0 - kTaps + 1) / 3;
  at::Tensor values =
      at::empty({kRows0 * kFilters + kRows1 * kFeatures}, at::kFloat);
  auto* first = values.mutable_data_ptr<float>();
  float* second = first + kRows0 * kFilters;
  pool_magnitudes(columns, kRows0, kFilters,
                  {static_cast<float>(norm.scale), span_of(shift)}, first);
  normalize(0, kRows0, kFilters, first);
  multiply_and_pool(convs_[0], first, kFilters, kRows1, second);
  normalize(1, kRows1, kFeatures, second);
  multiply_and_pool(convs_[1], second, kFeatures, kNumFrames, out.data());
  normalize(2, kNumFrames, kFeatures, out.data());
}

void PyanNet::normalize(int index, std::int64_t num_rows, int channels,
                        float* values) const {
  normalize_leaky_relu(
      values, num_rows, channels,
      {span_of(norms_[index].weight), span_of(norms_[index].bias)});
}

at::Tensor PyanNet::scores(const at::Tensor& features) const {
  const std::int64_t num_chunks = features.size(0);
  if (features.dim() != 3 || features.size(1) != kNumFrames ||
      features.size(2) != kFeatures) {
    throw std::logic_error("PyanNet: features of another shape");
  }
  // (kNumFrames, num_chunks, values)
  at::Tensor values = at::constant_pad_nd(features.transpose(0, 1),
                                          {0, kPaddedFeatures - kFeatures})
                          .contiguous();
  at::Tensor states =
      at::empty({kNumFrames, num_chunks, 2 * kLstmHidden}, at::kFloat);
  at::Tensor spare = at::empty_like(states);
  for (const LstmLayer& layer : lstm_) {
    layer.run(values.const_data_ptr<float>(), kNumFrames, num_chunks,
              states.mutable_data_ptr<float>());
    values = states;
    std::swap(states, spare);
  }
  values = values.view({-1, 2 * kLstmHidden});
  for (const PackedLinear& linear : linears_) values = linear(values);
  return at::log_softmax(values, -1)
      .view({kNumFrames, num_chunks, kNumClasses})
      .transpose(0, 1)
      .contiguous();
}

}  // namespace diarize::nn
