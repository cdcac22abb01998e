#include "core/nn/campplus_head.h"

#include "core/nn/batch_norm.h"

#include <algorithm>
#include <span>
#include <utility>

namespace diarize::nn {
namespace {

constexpr std::int64_t kChannels = HeadPlane::kChannels;
constexpr std::int64_t kMelBins = CamPlusPlusHead::kMelBins;
constexpr std::int64_t kPaddedBins = kMelBins + 2;
constexpr std::int64_t kTaps = 3;

// Weights of a product: the row of each output, and its bias.
struct Product {
  std::vector<float> weights;
  std::vector<float> bias;
};

// A convolution with its batch norm folded in. From (out, in, mel, time) to
// the order of the runs: (out, time, mel, in).
Product take_conv(WeightMap& weights, const std::string& conv,
                  const std::string& norm_name, std::int64_t inputs,
                  std::int64_t taps) {
  const auto size = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  const WeightTensor tensor =
      weights.take(conv + ".weight",
                   {size(kChannels), size(inputs), size(taps), size(taps)});
  ChannelAffine norm = take_batch_norm(weights, norm_name, size(kChannels));
  Product result;
  for (std::int64_t out = 0; out < kChannels; ++out) {
    for (std::int64_t time = 0; time < taps; ++time) {
      for (std::int64_t mel = 0; mel < taps; ++mel) {
        for (std::int64_t in = 0; in < inputs; ++in) {
          const std::int64_t from =
              ((out * inputs + in) * taps + mel) * taps + time;
          result.weights.push_back(tensor.values[from] * norm.scale[out]);
        }
      }
    }
  }
  result.bias = std::move(norm.shift);
  return result;
}

PanelMatrix make_matrix(const Product& product, std::int64_t inputs,
                        Precision precision) {
  const std::int64_t run = kTaps * inputs;
  return PanelMatrix(product.weights, product.bias, {run, run, run}, precision);
}

// The product of a convolution and, behind its inputs, of a shortcut.
PanelMatrix join(const Product& conv, const Product& shortcut,
                 Precision precision) {
  const std::int64_t run = kTaps * kChannels;
  Product joined{{}, conv.bias};
  for (std::int64_t out = 0; out < kChannels; ++out) {
    const auto row = [&](const Product& from, std::int64_t length) {
      const auto begin = from.weights.begin() + out * length;
      joined.weights.insert(joined.weights.end(), begin, begin + length);
    };
    row(conv, kTaps * run);
    row(shortcut, kChannels);
    joined.bias[out] += shortcut.bias[out];
  }
  return PanelMatrix(joined.weights, joined.bias, {run, run, run, kChannels},
                     precision);
}

// The runs of a 3 x 3 convolution at a time row, and room for more.
template <std::size_t kRuns = kTaps>
std::array<RowsIn, kRuns> runs_at(const HeadPlane& plane, std::int64_t row,
                                  std::int64_t mel_stride) {
  std::array<RowsIn, kRuns> result;
  for (std::int64_t tap = 0; tap < kTaps; ++tap) {
    result[tap] = {plane.at(row + tap - 1, -1), mel_stride * kChannels};
  }
  return result;
}

void run_conv(const PanelMatrix& matrix, const HeadPlane& in,
              std::int64_t num_rows, HeadPlane& out) {
  const std::int64_t stride = in.mel_bins() / out.mel_bins();
  for (std::int64_t row = 0; row < num_rows; ++row) {
    multiply(matrix, runs_at(in, row, stride), out.mel_bins(), true,
             {out.at(row, 0), kChannels});
  }
}

// The second half of a residual block that strides: `in` is what the block
// began with.
void run_join(const PanelMatrix& matrix, const HeadPlane& inner,
              const HeadPlane& in, std::int64_t num_rows, HeadPlane& out) {
  for (std::int64_t row = 0; row < num_rows; ++row) {
    auto runs = runs_at<kTaps + 1>(inner, row, 1);
    runs[kTaps] = {in.at(row, 0), 2 * kChannels};
    multiply(matrix, runs, out.mel_bins(), true, {out.at(row, 0), kChannels});
  }
}

// The second half of one that does not: adds to `out` in place.
void run_add(const PanelMatrix& matrix, const HeadPlane& inner,
             std::int64_t num_rows, HeadPlane& out) {
  for (std::int64_t row = 0; row < num_rows; ++row) {
    multiply(matrix, runs_at(inner, row, 1), out.mel_bins(), true,
             {out.at(row, 0), kChannels}, {out.at(row, 0), kChannels});
  }
}

// The features with zeros around them: (rows + 2, 82).
void pad(const Array<float, 2>& features, std::vector<float>& padded) {
  padded.assign((features.size(0) + 2) * kPaddedBins, 0.0F);
  for (std::size_t row = 0; row < features.size(0); ++row) {
    std::ranges::copy(features.row(row),
                      padded.begin() + (row + 1) * kPaddedBins + 1);
  }
}

}  // namespace

void HeadPlane::prepare(std::int64_t num_rows) {
  const std::int64_t row_size = (mel_bins_ + 2) * kChannels;
  const auto needed = static_cast<std::size_t>((num_rows + 2) * row_size);
  if (values_.size() < needed) values_.assign(needed, 0.0F);
  std::fill_n(at(num_rows, -1), row_size, 0.0F);
}

float* HeadPlane::at(std::int64_t row, std::int64_t mel) {
  return values_.data() + ((row + 1) * (mel_bins_ + 2) + mel + 1) * kChannels;
}

const float* HeadPlane::at(std::int64_t row, std::int64_t mel) const {
  return values_.data() + ((row + 1) * (mel_bins_ + 2) + mel + 1) * kChannels;
}

CamPlusPlusHead::CamPlusPlusHead(WeightMap& weights, Precision precision)
    : stem_(make_matrix(take_conv(weights, "head.conv1", "head.bn1", 1, kTaps),
                        1, precision)) {
  const auto conv = [&](const std::string& name, const std::string& norm) {
    return take_conv(weights, name, norm, kChannels, kTaps);
  };
  std::size_t index = 0;
  for (const std::string name :
       {"head.layer1.0", "head.layer1.1", "head.layer2.0", "head.layer2.1"}) {
    Residual& residual = residuals_[index];
    residual.first =
        make_matrix(conv(name + ".conv1", name + ".bn1"), kChannels, precision);
    const Product second = conv(name + ".conv2", name + ".bn2");
    residual.second = index % 2 == 0
                          ? join(second,
                                 take_conv(weights, name + ".shortcut.0",
                                           name + ".shortcut.1", kChannels, 1),
                                 precision)
                          : make_matrix(second, kChannels, precision);
    ++index;
  }
  last_ = make_matrix(conv("head.conv2", "head.bn2"), kChannels, precision);
}

Array<float, 2> CamPlusPlusHead::run(const Array<float, 2>& features,
                                     Scratch& scratch) const {
  const auto num_rows = static_cast<std::int64_t>(features.size(0));
  Scratch& s = scratch;
  for (HeadPlane* plane :
       {&s.full, &s.half, &s.half_inner, &s.quarter, &s.quarter_inner}) {
    plane->prepare(num_rows);
  }
  pad(features, s.features);
  for (std::int64_t row = 0; row < num_rows; ++row) {
    std::array<RowsIn, kTaps> runs;
    for (std::int64_t tap = 0; tap < kTaps; ++tap) {
      runs[tap] = {s.features.data() + (row + tap) * kPaddedBins, 1};
    }
    multiply(stem_, runs, kMelBins, true, {s.full.at(row, 0), kChannels});
  }
  run_conv(residuals_[0].first, s.full, num_rows, s.half_inner);
  run_join(residuals_[0].second, s.half_inner, s.full, num_rows, s.half);
  run_conv(residuals_[1].first, s.half, num_rows, s.half_inner);
  run_add(residuals_[1].second, s.half_inner, num_rows, s.half);
  run_conv(residuals_[2].first, s.half, num_rows, s.quarter_inner);
  run_join(residuals_[2].second, s.quarter_inner, s.half, num_rows, s.quarter);
  run_conv(residuals_[3].first, s.quarter, num_rows, s.quarter_inner);
  run_add(residuals_[3].second, s.quarter_inner, num_rows, s.quarter);
  Array<float, 2> result({features.size(0) + 2 * kPadding, kOutputs});
  for (std::int64_t row = 0; row < num_rows; ++row) {
    multiply(last_, runs_at(s.quarter, row, 2), kOutputs / kChannels, true,
             {&result(row + kPadding, 0), kChannels});
  }
  return result;
}

}  // namespace diarize::nn
