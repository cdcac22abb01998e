#include "core/nn/campplus.h"

#include "core/nn/campplus_worker.h"

#include <ATen/ATen.h>

#include <array>
#include <string>
#include <utility>

namespace diarize::nn {
namespace {

constexpr std::int64_t kWidth = 32;   // channels of the head
constexpr std::int64_t kGrowth = 32;  // of a dense layer
constexpr std::int64_t kBottleneck = 128;
constexpr std::int64_t kTypicalRows = 150;  // a piece of 1.5 s
constexpr std::int64_t kTypicalFrames = 75;

struct BlockShape {
  int num_layers;
  std::int64_t dilation;
  std::int64_t in;   // channels
  std::int64_t out;  // behind the transit
};
constexpr std::array<BlockShape, CamPlusPlus::kNumBlocks> kBlocks = {
    {{12, 1, 128, 256}, {24, 2, 256, 512}, {16, 2, 512, 512}}};

std::span<const float> span_of(const at::Tensor& tensor) {
  return {tensor.const_data_ptr<float>(),
          static_cast<std::size_t>(tensor.numel())};
}

// Weight of a product followed by a batch norm: rows times the norm's scale.
at::Tensor fold(const at::Tensor& weight, const ChannelAffine& norm) {
  std::vector<std::int64_t> shape(weight.dim(), 1);
  shape[0] = norm.scale.numel();
  return weight * norm.scale.view(shape);
}

// Values stored as (batch, time, channels), seen as (batch, channels, 1, time).
at::Tensor as_line(const at::Tensor& values) {
  const std::int64_t time = values.size(1);
  const std::int64_t channels = values.size(2);
  return values.as_strided({values.size(0), channels, 1, time},
                           {time * channels, 1, time * channels, channels});
}

// And back.
at::Tensor from_line(const at::Tensor& image) {
  return image.permute({0, 2, 3, 1})
      .contiguous()
      .view({image.size(0), image.size(3), image.size(1)});
}

// A 3x3 convolution of the head. Checkpoints have (out, in, mel, time); here
// height is time and width is mel.
PackedConv head_conv(WeightMap& weights, const std::string& conv,
                     const std::string& norm_name, std::int64_t inputs,
                     std::int64_t mel_bins, std::int64_t mel_stride,
                     std::int64_t taps, Activation activation) {
  const at::Tensor weight =
      take_tensor(weights, conv + ".weight", kWidth, inputs, taps, taps);
  const ChannelAffine norm = take_batch_norm(weights, norm_name, kWidth);
  return PackedConv(
      fold(weight, norm).transpose(2, 3), norm.shift,
      {.stride = {1, mel_stride}, .padding = {taps / 2, taps / 2}}, activation,
      {1, inputs, kTypicalRows, mel_bins});
}

}  // namespace

CamPlusPlus::CamPlusPlus(WeightMap weights) {
  weights.discard(is_batch_counter);
  take_head(weights);
  take_tdnn(weights);
  for (int index = 0; index < kNumBlocks; ++index) take_block(weights, index);
  out_norm_ = take_batch_norm(weights, "xvector.out_nonlinear.batchnorm", 512);
  const at::Tensor weight =
      take_tensor(weights, "xvector.dense.linear.weight", kDimension, 1024, 1);
  const ChannelAffine norm = take_batch_norm(
      weights, "xvector.dense.nonlinear.batchnorm", kDimension, false);
  dense_.emplace_back(fold(weight.squeeze(2), norm), norm.shift,
                      Activation::kNone, 16);
  weights.finish();
}

void CamPlusPlus::take_head(WeightMap& weights) {
  stem_.push_back(head_conv(weights, "head.conv1", "head.bn1", 1, kMelBins, 1,
                            3, Activation::kRelu));
  std::int64_t mel_bins = kMelBins;
  for (const char* layer : {"head.layer1.", "head.layer2."}) {
    for (int index = 0; index < 2; ++index) {
      const std::string name = layer + std::to_string(index);
      const std::int64_t stride = index == 0 ? 2 : 1;
      Residual residual{
          head_conv(weights, name + ".conv1", name + ".bn1", kWidth, mel_bins,
                    stride, 3, Activation::kRelu),
          head_conv(weights, name + ".conv2", name + ".bn2", kWidth,
                    mel_bins / stride, 1, 3, Activation::kNone),
          std::nullopt};
      if (index == 0) {
        residual.shortcut =
            head_conv(weights, name + ".shortcut.0", name + ".shortcut.1",
                      kWidth, mel_bins, stride, 1, Activation::kNone);
      }
      residuals_.push_back(std::move(residual));
      mel_bins /= stride;
    }
  }
  stem_.push_back(head_conv(weights, "head.conv2", "head.bn2", kWidth, mel_bins,
                            2, 3, Activation::kRelu));
}

void CamPlusPlus::take_tdnn(WeightMap& weights) {
  const at::Tensor weight =
      take_tensor(weights, "xvector.tdnn.linear.weight", 128, kHeadChannels, 5);
  const ChannelAffine norm =
      take_batch_norm(weights, "xvector.tdnn.nonlinear.batchnorm", 128);
  // From channel * 10 + mel to mel * 32 + channel.
  const at::Tensor ordered = fold(weight, norm)
                                 .view({128, kWidth, 10, 5})
                                 .transpose(1, 2)
                                 .reshape({128, kHeadChannels, 1, 5});
  tdnn_.emplace_back(
      ordered, norm.shift, ConvGeometry{.stride = {1, 2}, .padding = {0, 2}},
      Activation::kRelu,
      std::array<std::int64_t, 4>{1, kHeadChannels, 1, kTypicalRows});
}

void CamPlusPlus::take_block(WeightMap& weights, int index) {
  const BlockShape& shape = kBlocks[index];
  const std::string number = std::to_string(index + 1);
  DenseBlock block;
  std::int64_t channels = shape.in;
  for (int layer = 0; layer < shape.num_layers; ++layer) {
    take_dense_layer(
        weights,
        "xvector.block" + number + ".tdnnd" + std::to_string(layer + 1),
        channels, shape.dilation, block);
    channels += kGrowth;
  }
  const std::string transit = "xvector.transit" + number;
  block.norm =
      take_batch_norm(weights, transit + ".nonlinear.batchnorm", channels);
  block.transit.emplace(
      take_tensor(weights, transit + ".linear.weight", shape.out, channels, 1)
          .squeeze(2),
      at::zeros({shape.out}), Activation::kNone, kTypicalFrames);
  blocks_.push_back(std::move(block));
}

void CamPlusPlus::take_dense_layer(WeightMap& weights, const std::string& name,
                                   std::int64_t channels, std::int64_t dilation,
                                   DenseBlock& block) {
  const auto take = [&](const char* part, auto... shape) {
    return take_tensor(weights, name + part, shape...);
  };
  const auto transposed = [&](const char* part, std::int64_t out,
                              std::int64_t in) {
    return take(part, out, in, 1).squeeze(2).t().contiguous();
  };
  const ChannelAffine first =
      take_batch_norm(weights, name + ".nonlinear1.batchnorm", channels);
  const ChannelAffine second =
      take_batch_norm(weights, name + ".nonlinear2.batchnorm", kBottleneck);
  const at::Tensor bottleneck =
      take(".linear1.weight", kBottleneck, channels, 1).squeeze(2);
  const at::Tensor local =
      take(".cam_layer.linear_local.weight", kGrowth, kBottleneck, 3);
  block.layers.push_back(
      {first,
       PackedLinear(fold(bottleneck, second), second.shift, Activation::kRelu,
                    kTypicalFrames),
       PackedConv(local.unsqueeze(2), at::zeros({kGrowth}),
                  {.padding = {0, dilation}, .dilation = {1, dilation}},
                  Activation::kNone, {1, kBottleneck, 1, kTypicalFrames}),
       transposed(".cam_layer.linear1.weight", 64, kBottleneck),
       take(".cam_layer.linear1.bias", 64),
       transposed(".cam_layer.linear2.weight", kGrowth, 64),
       take(".cam_layer.linear2.bias", kGrowth)});
}

std::unique_ptr<EmbedderWorker> CamPlusPlus::make_worker() const {
  return std::make_unique<CamPlusPlusWorker>(*this);
}

at::Tensor CamPlusPlus::head(const at::Tensor& features) const {
  const std::int64_t batch = features.size(0);
  const std::int64_t time = features.size(1);
  at::Tensor values = stem_.front()(features.as_strided(
      {batch, 1, time, kMelBins}, {time * kMelBins, 1, kMelBins, 1}));
  for (const Residual& residual : residuals_) {
    const at::Tensor inner = residual.first(values);
    if (residual.shortcut) values = (*residual.shortcut)(values);
    residual.second.add_to(values, inner);
  }
  return stem_.back()(values)
      .permute({0, 2, 3, 1})
      .contiguous()
      .view({batch, time, kHeadChannels});
}

at::Tensor CamPlusPlus::tdnn(const at::Tensor& values) const {
  return from_line(tdnn_.front()(as_line(values)));
}

at::Tensor CamPlusPlus::block(int index, const at::Tensor& values) const {
  const DenseBlock& block = blocks_[index];
  const std::int64_t batch = values.size(0);
  const std::int64_t num_frames = values.size(1);
  std::int64_t channels = values.size(2);
  const std::int64_t width = block.norm.scale.numel();
  at::Tensor buffer = at::empty({batch * num_frames, width}, at::kFloat);
  buffer.narrow(1, 0, channels).copy_(values.view({-1, channels}));
  for (const DenseLayer& layer : block.layers) {
    run_dense_layer(layer, batch, channels, buffer);
    channels += kGrowth;
  }
  affine_relu(buffer.const_data_ptr<float>(), width, batch * num_frames,
              span_of(block.norm.scale), span_of(block.norm.shift),
              buffer.mutable_data_ptr<float>());
  return (*block.transit)(buffer).view({batch, num_frames, -1});
}

void CamPlusPlus::run_dense_layer(const DenseLayer& layer, std::int64_t batch,
                                  std::int64_t channels,
                                  at::Tensor& buffer) const {
  const std::int64_t rows = buffer.size(0);
  const std::int64_t width = buffer.size(1);
  const std::int64_t num_frames = rows / batch;
  at::Tensor normed = at::empty({rows, channels}, at::kFloat);
  affine_relu(buffer.const_data_ptr<float>(), width, rows,
              span_of(layer.norm.scale), span_of(layer.norm.shift),
              normed.mutable_data_ptr<float>());
  const at::Tensor hidden = layer.bottleneck(normed);
  const at::Tensor local = from_line(
      layer.local(as_line(hidden.view({batch, num_frames, kBottleneck}))));
  const ContextGate gate{
      span_of(layer.gate_first), span_of(layer.gate_first_bias),
      span_of(layer.gate_second), span_of(layer.gate_second_bias)};
  for (std::int64_t piece = 0; piece < batch; ++piece) {
    const std::int64_t first = piece * num_frames;
    apply_gate(
        hidden.const_data_ptr<float>() + first * kBottleneck,
        local.const_data_ptr<float>() + first * kGrowth, num_frames, gate,
        buffer.mutable_data_ptr<float>() + first * width + channels, width);
  }
}

at::Tensor CamPlusPlus::frames(const at::Tensor& values) const {
  at::Tensor result = at::empty(values.sizes(), at::kFloat);
  affine_relu(values.const_data_ptr<float>(), values.size(2),
              values.size(0) * values.size(1), span_of(out_norm_.scale),
              span_of(out_norm_.shift), result.mutable_data_ptr<float>());
  return result;
}

at::Tensor CamPlusPlus::pool(const at::Tensor& frames) const {
  const std::int64_t batch = frames.size(0);
  const std::int64_t piece_size = frames.size(1) * frames.size(2);
  const auto num_statistics = static_cast<std::size_t>(2 * frames.size(2));
  at::Tensor statistics =
      at::empty({batch, static_cast<std::int64_t>(num_statistics)}, at::kFloat);
  for (std::int64_t piece = 0; piece < batch; ++piece) {
    pool_statistics(frames.const_data_ptr<float>() + piece * piece_size,
                    frames.size(1),
                    {statistics.mutable_data_ptr<float>() +
                         piece * static_cast<std::int64_t>(num_statistics),
                     num_statistics});
  }
  return dense_.front()(statistics);
}

at::Tensor CamPlusPlus::embed(const at::Tensor& features) const {
  at::Tensor values = tdnn(head(features));
  for (int index = 0; index < kNumBlocks; ++index) {
    values = block(index, values);
  }
  return pool(frames(values));
}

}  // namespace diarize::nn
