#include "core/nn/wespeaker.h"

#include "core/engine/stopwatch.h"
#include "core/nn/batch_norm.h"
#include "core/nn/masked_pooling.h"
#include "core/nn/take_tensor.h"
#include "core/nn/torch_scope.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace diarize::nn {
namespace {

constexpr std::int64_t kStatistics =
    2 * WeSpeaker::kTrunkRows * WeSpeaker::kTrunkChannels;
constexpr int kRowsPerFrame = 8;   // filter-bank rows a trunk frame
constexpr int kMarginFrames = 14;  // of context: 112 filter-bank rows
constexpr std::array<int, 4> kBlocks = {3, 4, 6, 3};
constexpr std::array<std::int64_t, 4> kChannels = {32, 64, 128, 256};

// Takes a convolution and the batch norm behind it.
class Reader {
 public:
  Reader(WeightMap& weights, Precision precision)
      : weights_(weights), precision_(precision) {}

  [[nodiscard]] PackedConv conv(const std::string& conv_name,
                                const std::string& norm_name, std::int64_t in,
                                std::int64_t out, std::int64_t kernel,
                                std::int64_t stride, Activation activation,
                                std::array<std::int64_t, 2> typical_size) {
    const Folded layer = folded(conv_name, norm_name, in, out, kernel);
    return PackedConv(layer.weight, layer.bias,
                      {.stride = {stride, stride},
                       .padding = {kernel / 2, kernel / 2},
                       .dilation = {1, 1}},
                      activation, {1, in, typical_size[0], typical_size[1]},
                      precision_);
  }

  // One basic block; `size` is (height, width) of its input.
  [[nodiscard]] BasicBlock block(const std::string& name, std::int64_t in,
                                 std::int64_t out,
                                 std::array<std::int64_t, 2> size) {
    const std::int64_t stride = in == out ? 1 : 2;
    const std::array<std::int64_t, 2> inner = {(size[0] + stride - 1) / stride,
                                               size[1] / stride};
    const Folded first = folded(name + ".conv1", name + ".bn1", in, out, 3);
    const Folded second = folded(name + ".conv2", name + ".bn2", out, out, 3);
    TrunkConv conv1(first.weight, first.bias, stride, size, precision_);
    TrunkConv conv2(second.weight, second.bias, 1, inner, precision_);
    std::optional<PackedConv> shortcut;
    if (in != out) {
      shortcut.emplace(conv(name + ".shortcut.0", name + ".shortcut.1", in, out,
                            1, stride, Activation::kNone, size));
    }
    return {std::move(conv1), std::move(conv2), std::move(shortcut)};
  }

 private:
  struct Folded {
    at::Tensor weight;  // (out, in, kernel, kernel)
    at::Tensor bias;    // (out)
  };

  [[nodiscard]] Folded folded(const std::string& conv_name,
                              const std::string& norm_name, std::int64_t in,
                              std::int64_t out, std::int64_t kernel) {
    const std::vector<std::size_t> size = {static_cast<std::size_t>(out)};
    const ChannelAffine norm = take_batch_norm(weights_, norm_name, size[0]);
    const at::Tensor scale = make_tensor({size, norm.scale});
    const at::Tensor weight =
        take_tensor(weights_, conv_name + ".weight", out, in, kernel, kernel);
    // The checkpoint has bins before time.
    return {(weight * scale.view({-1, 1, 1, 1})).transpose(2, 3),
            make_tensor({size, norm.shift})};
  }

  WeightMap& weights_;
  Precision precision_;
};

// The checkpoint orders the statistics by channel, then row; ours are by row,
// then channel.
at::Tensor take_projection(WeightMap& weights) {
  return take_tensor(weights, "resnet.seg_1.weight", WeSpeaker::kDimension,
                     kStatistics)
      .view({WeSpeaker::kDimension, 2, WeSpeaker::kTrunkChannels,
             WeSpeaker::kTrunkRows})
      .transpose(2, 3)
      .reshape({WeSpeaker::kDimension, kStatistics});
}

using BinMeans = std::array<float, kNumMelBins>;

BinMeans mean_of(const Array<float, 2>& rows, std::size_t first_row,
                 std::size_t num_rows) {
  std::array<double, kNumMelBins> sum{};
  for (std::size_t row = first_row; row < first_row + num_rows; ++row) {
    const std::span<const float> values = rows.row(row);
    for (std::size_t bin = 0; bin < kNumMelBins; ++bin) sum[bin] += values[bin];
  }
  BinMeans mean;
  for (std::size_t bin = 0; bin < kNumMelBins; ++bin) {
    mean[bin] = static_cast<float>(sum[bin] / static_cast<double>(num_rows));
  }
  return mean;
}

// Rows minus a mean as an image: time is height, bins are width.
at::Tensor centred_input(const Array<float, 2>& rows, std::size_t first_row,
                         std::size_t num_rows, const BinMeans& mean) {
  at::Tensor input =
      at::empty({1, 1, static_cast<std::int64_t>(num_rows), kNumMelBins});
  auto* out = input.data_ptr<float>();
  for (std::size_t row = 0; row < num_rows; ++row) {
    const std::span<const float> values = rows.row(first_row + row);
    for (std::size_t bin = 0; bin < kNumMelBins; ++bin) {
      *out++ = values[bin] - mean[bin];
    }
  }
  return input;
}

class WeSpeakerWorker : public EmbedderWorker {
 public:
  explicit WeSpeakerWorker(const WeSpeaker& network) : network_(network) {}

  [[nodiscard]] double feature_seconds() const override {
    return stopwatch_.seconds();
  }

  std::vector<Array<float, 2>> embed(
      std::span<const Block* const> blocks,
      std::span<const std::vector<EmbeddingJob>> jobs) override {
    return in_torch([&] {
      std::vector<Array<float, 2>> results;
      results.reserve(blocks.size());
      for (std::size_t i = 0; i < blocks.size(); ++i) {
        results.push_back(network_.trunk_run() == TrunkRun::kBlock
                              ? embed_together(*blocks[i], jobs[i])
                              : embed_block(*blocks[i], jobs[i]));
      }
      return results;
    });
  }

 private:
  [[nodiscard]] Array<float, 2> embed_block(
      const Block& block, const std::vector<EmbeddingJob>& jobs) {
    Array<float, 2> result({jobs.size(), WeSpeaker::kDimension});
    if (jobs.empty()) return result;
    std::map<std::int64_t, std::vector<std::size_t>> by_chunk;
    for (std::size_t job = 0; job < jobs.size(); ++job) {
      by_chunk[jobs[job].source.chunk - block.first_chunk].push_back(job);
    }
    const Array<float, 2> rows =
        stopwatch_.time([&] { return network_.features()(block.samples); });
    for (const auto& [chunk, members] : by_chunk) {
      const std::int64_t start =
          block.chunk_starts[static_cast<std::size_t>(chunk)] -
          block.first_sample;
      const auto first_row =
          static_cast<std::size_t>(start / kFeatureHopSamples);
      const at::Tensor embeddings = embed_chunk(rows, first_row, jobs, members);
      const float* values = embeddings.data_ptr<float>();
      for (std::size_t member = 0; member < members.size(); ++member) {
        std::copy_n(values + member * WeSpeaker::kDimension,
                    WeSpeaker::kDimension, result.row(members[member]).begin());
      }
    }
    return result;
  }

  // The same by one pass of the trunk over all rows that masks select.
  [[nodiscard]] Array<float, 2> embed_together(
      const Block& block, const std::vector<EmbeddingJob>& jobs) {
    Array<float, 2> result({jobs.size(), WeSpeaker::kDimension});
    if (jobs.empty()) return result;
    // Rows of the block at the middle of each selected frame.
    std::vector<std::vector<int>> selected;
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    std::int64_t last = -1;
    for (const EmbeddingJob& job : jobs) {
      const auto chunk =
          static_cast<std::size_t>(job.source.chunk - block.first_chunk);
      const auto start =
          static_cast<int>((block.chunk_starts[chunk] - block.first_sample) /
                           kFeatureHopSamples);
      selected.push_back(selected_trunk_frames(job.mask));
      for (int& frame : selected.back()) {
        frame = start + kRowsPerFrame * frame;
        first = std::min<std::int64_t>(first, frame);
        last = std::max<std::int64_t>(last, frame);
      }
    }
    at::Tensor statistics =
        at::zeros({static_cast<std::int64_t>(jobs.size()), kStatistics});
    if (last >= 0) {
      const Array<float, 2> rows =
          stopwatch_.time([&] { return network_.features()(block.samples); });
      const std::int64_t margin = kRowsPerFrame * kMarginFrames;
      const auto begin =
          static_cast<int>(std::max<std::int64_t>(0, first - margin));
      const std::int64_t end =
          std::min(static_cast<std::int64_t>(rows.size(0)), last + margin + 1);
      const at::Tensor trunk = network_.trunk(
          WeSpeaker::block_input(rows, static_cast<std::size_t>(begin),
                                 static_cast<std::size_t>(end - begin)));
      const auto num_frames = static_cast<int>(trunk.size(1));
      for (std::size_t job = 0; job < jobs.size(); ++job) {
        for (int& frame : selected[job]) {
          frame = std::min((frame - begin + kRowsPerFrame / 2) / kRowsPerFrame,
                           num_frames - 1);
        }
        pool(trunk, selected[job], job, statistics);
      }
    }
    const at::Tensor embeddings = network_.project(statistics);
    std::copy_n(embeddings.data_ptr<float>(), result.values().size(),
                result.values().begin());
    return result;
  }

  // Writes the statistics of a job over frames of the trunk.
  static void pool(const at::Tensor& trunk, std::span<const int> frames,
                   std::size_t job, at::Tensor& statistics) {
    const std::vector<float> pooled = pooled_statistics(
        {trunk.data_ptr<float>(), static_cast<std::size_t>(trunk.numel())},
        WeSpeaker::kTrunkRows, static_cast<int>(trunk.size(1)),
        WeSpeaker::kTrunkChannels, frames);
    std::ranges::copy(pooled, statistics.data_ptr<float>() +
                                  static_cast<std::int64_t>(job) * kStatistics);
  }

  // (members, WeSpeaker::kDimension)
  [[nodiscard]] at::Tensor embed_chunk(
      const Array<float, 2>& rows, std::size_t first_row,
      const std::vector<EmbeddingJob>& jobs,
      std::span<const std::size_t> members) const {
    std::vector<std::vector<int>> selected;
    int first = kTrunkFrames;
    int last = -1;
    for (const std::size_t member : members) {
      selected.push_back(selected_trunk_frames(jobs[member].mask));
      if (selected.back().empty()) continue;
      first = std::min(first, selected.back().front());
      last = std::max(last, selected.back().back());
    }
    at::Tensor statistics =
        at::zeros({static_cast<std::int64_t>(members.size()), kStatistics});
    if (last >= 0) {
      const TrunkSpan span = trunk_span(first, last);
      const at::Tensor trunk =
          network_.trunk(WeSpeaker::chunk_input(rows, first_row, span));
      for (std::size_t i = 0; i < selected.size(); ++i) {
        for (int& frame : selected[i]) frame -= span.first_frame;
        pool(trunk, selected[i], i, statistics);
      }
    }
    return network_.project(statistics);
  }

  const WeSpeaker& network_;
  Stopwatch stopwatch_;  // of the features
};

}  // namespace

TrunkSpan trunk_span(int first_selected, int last_selected) {
  TrunkSpan span;
  span.first_frame = std::max(0, first_selected - kMarginFrames);
  span.end_frame = std::min(kTrunkFrames, last_selected + kMarginFrames + 1);
  span.first_row = kRowsPerFrame * span.first_frame;
  span.end_row = std::min(kChunkFeatures, kRowsPerFrame * span.end_frame);
  return span;
}

WeSpeaker::WeSpeaker(WeightMap weights, Precision precision, TrunkRun run)
    : features_({.window = FeatureWindow::kHamming, .scale = 32768.0F}),
      precision_(precision),
      run_(run) {
  in_torch([&] {
    Reader reader(weights, precision);
    conv1_.emplace(reader.conv("resnet.conv1", "resnet.bn1", 1, kChannels[0], 3,
                               1, Activation::kRelu,
                               {kChunkFeatures, kNumMelBins}));
    std::int64_t in = kChannels[0];
    std::array<std::int64_t, 2> size = {kChunkFeatures, kNumMelBins};
    for (std::size_t layer = 0; layer < kBlocks.size(); ++layer) {
      for (int block = 0; block < kBlocks[layer]; ++block) {
        const std::string name = "resnet.layer" + std::to_string(layer + 1) +
                                 "." + std::to_string(block);
        blocks_.push_back(reader.block(name, in, kChannels[layer], size));
        if (in == kChannels[layer]) continue;
        size = {(size[0] + 1) / 2, size[1] / 2};
        in = kChannels[layer];
      }
    }
    const at::Tensor projection = take_projection(weights);
    projection_.emplace(projection,
                        take_tensor(weights, "resnet.seg_1.bias", kDimension),
                        Activation::kNone, 2);
    weights.discard(is_batch_counter);
    weights.finish();
  });
}

std::unique_ptr<EmbedderWorker> WeSpeaker::make_worker() const {
  return std::make_unique<WeSpeakerWorker>(*this);
}

at::Tensor WeSpeaker::chunk_input(const Array<float, 2>& rows,
                                  std::size_t chunk_row,
                                  const TrunkSpan& span) {
  return centred_input(rows,
                       chunk_row + static_cast<std::size_t>(span.first_row),
                       static_cast<std::size_t>(span.end_row - span.first_row),
                       mean_of(rows, chunk_row, kChunkFeatures));
}

at::Tensor WeSpeaker::block_input(const Array<float, 2>& rows,
                                  std::size_t first_row, std::size_t num_rows) {
  return centred_input(rows, first_row, num_rows,
                       mean_of(rows, first_row, num_rows));
}

at::Tensor WeSpeaker::trunk(const at::Tensor& input) const {
  at::Tensor x = (*conv1_)(input.to(scalar_type(precision_)));
  for (const BasicBlock& block : blocks_) {
    const at::Tensor inner = block.conv1(x);
    // The identity shortcut is overwritten: nobody needs it any more.
    at::Tensor sum = block.shortcut ? (*block.shortcut)(x) : x;
    block.conv2.add_to(sum, inner);
    x = std::move(sum);
  }
  return x.permute({0, 3, 2, 1}).to(at::kFloat).contiguous().squeeze(0);
}

at::Tensor WeSpeaker::project(const at::Tensor& statistics) const {
  return (*projection_)(statistics);
}

}  // namespace diarize::nn
