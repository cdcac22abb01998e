#pragma once

#include "core/engine/networks.h"
#include "core/engine/recipe.h"

#include <atomic>
#include <future>
#include <memory>

namespace diarize::test {

// Networks without weights whose results are simple functions of the samples:
// a frame's class follows the sign pattern of the samples under it, an
// embedding is the chunk's number and a sum over its samples. They note how
// many chunks went through together.
class StandInNetworks : public Networks {
 public:
  StandInNetworks() = default;
  // Nothing is segmented before `gate` is ready.
  explicit StandInNetworks(std::shared_future<void> gate)
      : gate_(std::move(gate)) {}

  [[nodiscard]] std::unique_ptr<NetworkWorker> make_worker() const override;
  [[nodiscard]] std::size_t embedding_dimension() const override { return 2; }

  // Most chunks seen in one batch.
  [[nodiscard]] int largest_batch() const { return *largest_batch_; }

  // Samples equal to this make `segment` throw InputError("poison").
  static constexpr float kPoison = -0.75F;

 private:
  std::shared_future<void> gate_;
  std::shared_ptr<std::atomic<int>> largest_batch_ =
      std::make_shared<std::atomic<int>>(0);
};

// A recipe that embeds every chunk once and reports each as a turn: onset and
// duration are the embedding, the speaker is the number of active frames.
class StandInRecipe : public Recipe {
 public:
  explicit StandInRecipe(const ChunkLayout& layout) : layout_(layout) {}
  [[nodiscard]] ChunkLayout chunk_layout() const override { return layout_; }
  [[nodiscard]] std::vector<EmbeddingJob> jobs(
      const Block& block, const LocalActivity& activity) const override;
  using Recipe::finish;
  [[nodiscard]] Diarization finish(const Recording& recording,
                                   const SpeakerRequest& request,
                                   StageTimes* times) const override;

 private:
  ChunkLayout layout_;
};

}  // namespace diarize::test
