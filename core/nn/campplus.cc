#include "core/nn/campplus.h"

#include "core/nn/campplus_worker.h"

#include <algorithm>
#include <array>
#include <utility>

namespace diarize::nn {
namespace {

constexpr std::int64_t kGrowth = ContextGate::kOutputs;
constexpr std::int64_t kBottleneck = ContextGate::kHidden;
constexpr std::int64_t kStatistics = 1024;
// Rows normed at once, two tiles of a product, and the distance between them:
// not a multiple of a page, or all rows would share a few places in the cache.
constexpr std::int64_t kNormedRows = 28;
constexpr std::int64_t kNormedStride = 1040;

struct BlockShape {
  int num_layers;
  std::int64_t dilation;
  std::int64_t in;   // channels
  std::int64_t out;  // behind the transit
};
constexpr std::array<BlockShape, CamPlusPlus::kNumBlocks> kBlocks = {
    {{12, 1, 128, 256}, {24, 2, 256, 512}, {16, 2, 512, 512}}};

std::size_t size(std::int64_t n) { return static_cast<std::size_t>(n); }

// Rows of a product followed by a batch norm, times the norm's scale.
std::vector<float> fold(std::vector<float> weights, const ChannelAffine& norm) {
  const std::size_t inputs = weights.size() / norm.scale.size();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weights[i] *= norm.scale[i / inputs];
  }
  return weights;
}

// (rows, columns) -> (columns, rows).
std::vector<float> transpose(const std::vector<float>& values,
                             std::int64_t rows) {
  const std::int64_t columns = static_cast<std::int64_t>(values.size()) / rows;
  std::vector<float> result;
  for (std::int64_t column = 0; column < columns; ++column) {
    for (std::int64_t row = 0; row < rows; ++row) {
      result.push_back(values[row * columns + column]);
    }
  }
  return result;
}

// A convolution over time, (out, in, taps), in the order of its runs:
// (out, taps, in).
std::vector<float> taps_first(const std::vector<float>& values,
                              std::int64_t inputs, std::int64_t taps) {
  std::vector<float> result;
  for (std::size_t begin = 0; begin < values.size(); begin += inputs * taps) {
    for (std::int64_t tap = 0; tap < taps; ++tap) {
      for (std::int64_t in = 0; in < inputs; ++in) {
        result.push_back(values[begin + in * taps + tap]);
      }
    }
  }
  return result;
}

// relu(norm(values)) times the matrix, a few rows at a time.
void multiply_normed(const ChannelAffine& norm, const PanelMatrix& matrix,
                     const RowsIn& values, std::int64_t num_rows, bool relu,
                     const RowsOut& out, std::vector<float>& normed) {
  normed.resize(size(kNormedRows * kNormedStride));
  for (std::int64_t row = 0; row < num_rows; row += kNormedRows) {
    const std::int64_t rows = std::min(kNormedRows, num_rows - row);
    affine_relu({values.first + row * values.stride, values.stride}, rows,
                norm.scale, norm.shift, {normed.data(), kNormedStride});
    const RowsIn in{normed.data(), kNormedStride};
    multiply(matrix, {&in, 1}, rows, relu,
             {out.first + row * out.stride, out.stride});
  }
}

}  // namespace

CamPlusPlus::CamPlusPlus(WeightMap weights, Precision precision)
    : head_((weights.discard(is_batch_counter), weights), precision) {
  take_tdnn(weights, precision);
  for (int index = 0; index < kNumBlocks; ++index)
    take_block(weights, index, precision);
  out_norm_ = take_batch_norm(weights, "xvector.out_nonlinear.batchnorm", 512);
  const WeightTensor dense = weights.take("xvector.dense.linear.weight",
                                          {kDimension, size(kStatistics), 1});
  const ChannelAffine norm = take_batch_norm(
      weights, "xvector.dense.nonlinear.batchnorm", kDimension, false);
  dense_ = PanelMatrix(fold(dense.values, norm), norm.shift, {kStatistics});
  weights.finish();
}

void CamPlusPlus::take_tdnn(WeightMap& weights, Precision precision) {
  constexpr std::int64_t kInputs = CamPlusPlusHead::kOutputs;
  constexpr std::int64_t kTaps = 5;
  const WeightTensor tensor =
      weights.take("xvector.tdnn.linear.weight", {128, kInputs, kTaps});
  const ChannelAffine norm =
      take_batch_norm(weights, "xvector.tdnn.nonlinear.batchnorm", 128);
  // Inputs from channel * 10 + mel to mel * 32 + channel.
  std::vector<float> ordered;
  for (std::int64_t out = 0; out < 128; ++out) {
    const auto begin = tensor.values.begin() + out * kInputs * kTaps;
    const std::vector<float> row(begin, begin + kInputs * kTaps);
    for (std::int64_t tap = 0; tap < kTaps; ++tap) {
      for (std::int64_t in = 0; in < kInputs; ++in) {
        const std::int64_t from = in % 32 * 10 + in / 32;
        ordered.push_back(row[from * kTaps + tap]);
      }
    }
  }
  tdnn_ = PanelMatrix(fold(std::move(ordered), norm), norm.shift,
                      {kTaps * kInputs}, precision);
}

void CamPlusPlus::take_block(WeightMap& weights, int index,
                             Precision precision) {
  const BlockShape& shape = kBlocks[index];
  const std::string number = std::to_string(index + 1);
  DenseBlock block;
  std::int64_t channels = shape.in;
  for (int i = 1; i <= shape.num_layers; ++i, channels += kGrowth) {
    const std::string name =
        "xvector.block" + number + ".tdnnd" + std::to_string(i);
    const auto take = [&](const char* part, auto... sizes) {
      return weights.take(name + part, {size(sizes)...}).values;
    };
    DenseLayer layer;
    layer.norm = take_batch_norm(weights, name + ".nonlinear1.batchnorm",
                                 size(channels));
    const ChannelAffine second = take_batch_norm(
        weights, name + ".nonlinear2.batchnorm", size(kBottleneck));
    layer.bottleneck = PanelMatrix(
        fold(take(".linear1.weight", kBottleneck, channels, 1), second),
        second.shift, {channels}, precision);
    layer.local = PanelMatrix(
        taps_first(
            take(".cam_layer.linear_local.weight", kGrowth, kBottleneck, 3),
            kBottleneck, 3),
        {}, {kBottleneck, kBottleneck, kBottleneck}, precision);
    layer.gate_first =
        transpose(take(".cam_layer.linear1.weight", 64, kBottleneck, 1), 64);
    layer.gate_first_bias = take(".cam_layer.linear1.bias", 64);
    layer.gate_second =
        transpose(take(".cam_layer.linear2.weight", kGrowth, 64, 1), kGrowth);
    layer.gate_second_bias = take(".cam_layer.linear2.bias", kGrowth);
    block.layers.push_back(std::move(layer));
  }
  const std::string transit = "xvector.transit" + number;
  block.norm = take_batch_norm(weights, transit + ".nonlinear.batchnorm",
                               size(channels));
  block.transit = PanelMatrix(weights
                                  .take(transit + ".linear.weight",
                                        {size(shape.out), size(channels), 1})
                                  .values,
                              {}, {channels}, precision);
  blocks_.push_back(std::move(block));
}

std::unique_ptr<EmbedderWorker> CamPlusPlus::make_worker() const {
  return std::make_unique<CamPlusPlusWorker>(*this);
}

std::int64_t CamPlusPlus::in_channels(int index) { return kBlocks[index].in; }

std::int64_t CamPlusPlus::out_channels(int index) { return kBlocks[index].out; }

std::int64_t CamPlusPlus::block_channels(int index) {
  return kBlocks[index].in + kBlocks[index].num_layers * kGrowth;
}

Array<float, 2> CamPlusPlus::head(const Array<float, 2>& features,
                                  Scratch& scratch) const {
  return head_.run(features, scratch.head);
}

void CamPlusPlus::tdnn(const Array<float, 2>& head, const RowsOut& out) const {
  const auto num_rows =
      static_cast<std::int64_t>(head.size(0)) - 2 * CamPlusPlusHead::kPadding;
  const RowsIn in{head.data(), 2 * CamPlusPlusHead::kOutputs};
  multiply(tdnn_, {&in, 1}, (num_rows + 1) / 2, true, out);
}

void CamPlusPlus::block(int index, Array<float, 2>& values,
                        std::span<const std::int64_t> lengths,
                        const RowsOut& out, Scratch& scratch) const {
  const DenseBlock& block = blocks_[index];
  const std::int64_t width = block_channels(index);
  for (const DenseLayer& layer : block.layers) {
    float* piece = values.data();
    for (const std::int64_t num_frames : lengths) {
      run_dense_layer(layer, kBlocks[index].dilation, piece, width, num_frames,
                      scratch);
      piece += num_frames * width;
    }
  }
  multiply_normed(block.norm, block.transit, {values.data(), width},
                  static_cast<std::int64_t>(values.size(0)), false, out,
                  scratch.normed);
}

void CamPlusPlus::run_dense_layer(const DenseLayer& layer,
                                  std::int64_t dilation, float* values,
                                  std::int64_t width, std::int64_t num_frames,
                                  Scratch& scratch) const {
  const auto channels = static_cast<std::int64_t>(layer.norm.scale.size());
  const std::int64_t margin = dilation * kBottleneck;
  scratch.hidden.resize(size(num_frames * kBottleneck + 2 * margin));
  scratch.local.resize(size(num_frames * kGrowth));
  float* hidden = scratch.hidden.data() + margin;
  std::fill_n(scratch.hidden.begin(), margin, 0.0F);
  std::fill_n(hidden + num_frames * kBottleneck, margin, 0.0F);
  multiply_normed(layer.norm, layer.bottleneck, {values, width}, num_frames,
                  true, {hidden, kBottleneck}, scratch.normed);
  const std::array<RowsIn, 3> taps = {{{hidden - margin, kBottleneck},
                                       {hidden, kBottleneck},
                                       {hidden + margin, kBottleneck}}};
  multiply(layer.local, taps, num_frames, false,
           {scratch.local.data(), kGrowth});
  apply_gate(hidden, scratch.local.data(), num_frames,
             {layer.gate_first, layer.gate_first_bias, layer.gate_second,
              layer.gate_second_bias},
             values + channels, width);
}

void CamPlusPlus::last_norm(Array<float, 2>& values) const {
  const auto width = static_cast<std::int64_t>(values.size(1));
  affine_relu({values.data(), width}, static_cast<std::int64_t>(values.size(0)),
              out_norm_.scale, out_norm_.shift, {values.data(), width});
}

void CamPlusPlus::pool(const float* frames, std::int64_t num_frames,
                       std::span<float> out) const {
  std::array<float, kStatistics> statistics;
  pool_statistics(frames, num_frames, statistics);
  const RowsIn in{statistics.data(), kStatistics};
  multiply(dense_, {&in, 1}, 1, false, {out.data(), kDimension});
}

Array<float, 2> CamPlusPlus::embed(std::span<const Array<float, 2>> features,
                                   Scratch& scratch) const {
  std::vector<std::int64_t> lengths;
  std::size_t total = 0;
  for (const Array<float, 2>& piece : features) {
    lengths.push_back(static_cast<std::int64_t>((piece.size(0) + 1) / 2));
    total += size(lengths.back());
  }
  Array<float, 2> values({total, size(block_channels(0))});
  std::size_t first = 0;
  for (std::size_t i = 0; i < features.size(); ++i) {
    tdnn(head(features[i], scratch),
         {values.row(first).data(), block_channels(0)});
    first += size(lengths[i]);
  }
  for (int index = 0; index < kNumBlocks; ++index) {
    const std::int64_t width = index + 1 < kNumBlocks
                                   ? block_channels(index + 1)
                                   : out_channels(index);
    Array<float, 2> next({total, size(width)});
    block(index, values, lengths, {next.data(), width}, scratch);
    values = std::move(next);
  }
  last_norm(values);
  Array<float, 2> result({features.size(), kDimension});
  first = 0;
  for (std::size_t i = 0; i < features.size(); ++i) {
    pool(values.row(first).data(), lengths[i], result.row(i));
    first += size(lengths[i]);
  }
  return result;
}

}  // namespace diarize::nn
