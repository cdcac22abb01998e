#include "core/nn/load_networks.h"

#include "core/error.h"
#include "core/nn/campplus.h"
#include "core/nn/pyannet.h"
#include "core/nn/torch_scope.h"
#include "core/nn/wespeaker.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

namespace diarize {
namespace {

// A worker of each network; keeps their weights alive.
class PairWorker final : public NetworkWorker {
 public:
  PairWorker(std::shared_ptr<const Networks> owner,
             std::unique_ptr<nn::SegmenterWorker> segmenter,
             std::unique_ptr<nn::EmbedderWorker> embedder)
      : owner_(std::move(owner)),
        segmenter_(std::move(segmenter)),
        embedder_(std::move(embedder)) {}

  [[nodiscard]] double feature_seconds() const override {
    return embedder_->feature_seconds();
  }
  std::vector<SegmentationScores> segment(
      std::span<const Block* const> blocks) override {
    return segmenter_->segment(blocks);
  }
  std::vector<Array<float, 2>> embed(
      std::span<const Block* const> blocks,
      std::span<const std::vector<EmbeddingJob>> jobs) override {
    return embedder_->embed(blocks, jobs);
  }

 private:
  std::shared_ptr<const Networks> owner_;
  std::unique_ptr<nn::SegmenterWorker> segmenter_;
  std::unique_ptr<nn::EmbedderWorker> embedder_;
};

// One segmentation and one embedding network.
class NetworkPair final : public Networks,
                          public std::enable_shared_from_this<NetworkPair> {
 public:
  NetworkPair(std::unique_ptr<const nn::Segmenter> segmenter,
              std::unique_ptr<const nn::Embedder> embedder)
      : segmenter_(std::move(segmenter)), embedder_(std::move(embedder)) {}

  std::unique_ptr<NetworkWorker> make_worker() const override {
    return std::make_unique<PairWorker>(shared_from_this(),
                                        segmenter_->make_worker(),
                                        embedder_->make_worker());
  }
  std::size_t embedding_dimension() const override {
    return embedder_->dimension();
  }

 private:
  std::unique_ptr<const nn::Segmenter> segmenter_;
  std::unique_ptr<const nn::Embedder> embedder_;
};

// From what a checkpoint says it is to the class that runs it.
template <typename Network>
struct Known {
  std::string_view architecture;
  std::unique_ptr<const Network> (*make)(WeightMap weights,
                                         const NetworkOptions& options);
};

template <typename Network, typename Class>
std::unique_ptr<const Network> make(WeightMap weights,
                                    const NetworkOptions& options) {
  return std::make_unique<const Class>(std::move(weights), options.precision);
}

std::unique_ptr<const nn::Embedder> make_wespeaker(
    WeightMap weights, const NetworkOptions& options) {
  return std::make_unique<const nn::WeSpeaker>(
      std::move(weights), options.precision, options.trunk_run);
}

constexpr std::array kSegmenters = {
    Known<nn::Segmenter>{"PyanNet", make<nn::Segmenter, nn::PyanNet>}};
constexpr std::array kEmbedders = {
    Known<nn::Embedder>{"CAMPPlus", make<nn::Embedder, nn::CamPlusPlus>},
    Known<nn::Embedder>{"WeSpeakerResNet34", make_wespeaker}};

template <typename Network, std::size_t N>
std::unique_ptr<const Network> build(const std::array<Known<Network>, N>& known,
                                     NetworkWeights checkpoint,
                                     const NetworkOptions& options) {
  std::string names;
  for (const Known<Network>& entry : known) {
    if (entry.architecture == checkpoint.architecture) {
      return entry.make(std::move(checkpoint.weights), options);
    }
    names += (names.empty() ? "" : ", ") + std::string(entry.architecture);
  }
  throw FatalError("network " + checkpoint.architecture +
                   " is not known here; known: " + names);
}

void check(const NetworkOptions& options) {
  if (options.device != "cpu") {
    throw FatalError("device " + options.device +
                     " is not in this build; devices: cpu");
  }
  const std::vector<Precision> precisions = available_precisions();
  if (std::ranges::find(precisions, options.precision) == precisions.end()) {
    throw FatalError("precision " + std::string(name_of(options.precision)) +
                     " is not for this processor");
  }
}

}  // namespace

std::shared_ptr<const Networks> load_networks(NetworkWeights segmentation,
                                              NetworkWeights embedding,
                                              const NetworkOptions& options) {
  check(options);
  return nn::in_torch([&] {
    auto segmenter = build(kSegmenters, std::move(segmentation), options);
    auto embedder = build(kEmbedders, std::move(embedding), options);
    return std::make_shared<const NetworkPair>(std::move(segmenter),
                                               std::move(embedder));
  });
}

std::shared_ptr<const Networks> load_default_networks(
    WeightMap segmentation, WeightMap embedding,
    const NetworkOptions& options) {
  return load_networks({"PyanNet", std::move(segmentation)},
                       {"CAMPPlus", std::move(embedding)}, options);
}

}  // namespace diarize
