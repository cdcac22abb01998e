#include "tests/support/stand_in_networks.h"

#include "core/error.h"

#include <algorithm>
#include <numeric>

namespace diarize::test {
namespace {

constexpr int kFrameHop = 270;  // samples

class StandInWorker : public NetworkWorker {
 public:
  StandInWorker(std::shared_future<void> gate,
                std::shared_ptr<std::atomic<int>> largest_batch)
      : gate_(std::move(gate)), largest_batch_(std::move(largest_batch)) {}

  std::vector<SegmentationScores> segment(
      std::span<const Block* const> blocks) override {
    if (gate_.valid()) gate_.wait();
    std::vector<SegmentationScores> scores;
    int num_chunks = 0;
    for (const Block* block : blocks) {
      num_chunks += static_cast<int>(block->chunk_starts.size());
      scores.push_back(segment(*block));
    }
    int largest = *largest_batch_;
    while (largest < num_chunks &&
           !largest_batch_->compare_exchange_weak(largest, num_chunks)) {
    }
    return scores;
  }

  std::vector<Array<float, 2>> embed(
      std::span<const Block* const> blocks,
      std::span<const std::vector<EmbeddingJob>> jobs) override {
    std::vector<Array<float, 2>> results;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      Array<float, 2> values({jobs[i].size(), 2});
      for (std::size_t job = 0; job < jobs[i].size(); ++job) {
        const auto chunk = static_cast<std::size_t>(jobs[i][job].source.chunk -
                                                    blocks[i]->first_chunk);
        const auto samples = chunk_of(*blocks[i], chunk);
        values(job, 0) = static_cast<float>(jobs[i][job].source.chunk);
        values(job, 1) = std::accumulate(samples.begin(), samples.end(), 0.0F);
      }
      results.push_back(std::move(values));
    }
    return results;
  }

 private:
  static std::span<const float> chunk_of(const Block& block,
                                         std::size_t chunk) {
    const auto offset = static_cast<std::size_t>(block.chunk_starts[chunk] -
                                                 block.first_sample);
    return std::span(block.samples).subspan(offset, kChunkSamples);
  }

  static SegmentationScores segment(const Block& block) {
    SegmentationScores scores(
        {block.chunk_starts.size(), kNumFrames, kNumClasses}, -9.0F);
    for (std::size_t chunk = 0; chunk < block.chunk_starts.size(); ++chunk) {
      const auto samples = chunk_of(block, chunk);
      if (std::find(samples.begin(), samples.end(), StandInNetworks::kPoison) !=
          samples.end()) {
        throw InputError("poison");
      }
      for (int frame = 0; frame < kNumFrames; ++frame) {
        const auto at = static_cast<std::size_t>(frame) * kFrameHop;
        int pattern = 0;
        for (std::size_t bit = 0; bit < 3; ++bit) {
          pattern |= samples[at + bit] > 0.0F ? 1 << bit : 0;
        }
        scores(chunk, frame, pattern % kNumClasses) = -0.1F;
      }
    }
    return scores;
  }

  std::shared_future<void> gate_;
  std::shared_ptr<std::atomic<int>> largest_batch_;
};

}  // namespace

std::unique_ptr<NetworkWorker> StandInNetworks::make_worker() const {
  return std::make_unique<StandInWorker>(gate_, largest_batch_);
}

std::vector<EmbeddingJob> StandInRecipe::jobs(
    const Block& block, const LocalActivity& activity) const {
  std::vector<EmbeddingJob> jobs(activity.num_chunks());
  for (std::size_t chunk = 0; chunk < jobs.size(); ++chunk) {
    jobs[chunk].source.chunk = static_cast<std::int32_t>(
        block.first_chunk + static_cast<std::int64_t>(chunk));
  }
  return jobs;
}

Diarization StandInRecipe::finish(const Recording& recording,
                                  const SpeakerRequest& request,
                                  StageTimes* times) const {
  const StageTimer timer(times, Stage::kClustering);
  Diarization result;
  result.num_speakers = request.num.value_or(0);
  for (std::size_t chunk = 0; chunk < recording.activity.num_chunks();
       ++chunk) {
    std::size_t num_active = 0;
    for (const FrameSet& frames : recording.activity.active[chunk]) {
      num_active += frames.count();
    }
    result.turns.push_back({recording.embeddings.values(chunk, 0),
                            recording.embeddings.values(chunk, 1),
                            static_cast<std::int32_t>(num_active)});
  }
  return result;
}

}  // namespace diarize::test
