#include "core/engine/engine.h"

#include "core/engine/audio_memory.h"
#include "core/engine/block_cutter.h"
#include "core/engine/byte_budget.h"
#include "core/engine/recording_gatherer.h"
#include "core/engine/stopwatch.h"
#include "core/engine/work_queue.h"
#include "core/powerset.h"

#include <atomic>
#include <exception>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace diarize {
namespace {

std::size_t bytes_of(std::size_t num_samples) {
  return num_samples * sizeof(float);
}

AudioBudget budget_of(const ChunkLayout& layout, const EngineOptions& options) {
  if (options.num_consumers < 1 || options.max_batch_chunks < 1) {
    throw std::logic_error("Engine: an option is out of range");
  }
  const AudioMemory memory = audio_memory(layout, options.feeder_bytes);
  const AudioBudget ample = ample_budget(memory, layout, options.num_consumers,
                                         options.max_batch_chunks);
  return limited_budget(memory, ample,
                        options.max_bytes_in_flight.value_or(ample.total()));
}

// A recording while it is in the engine; shared by its session, its queued
// blocks and the consumers.
struct OpenRecording {
  explicit OpenRecording(const SessionOptions& options)
      : request(options.request), stage_times(options.stage_times) {}

  const SpeakerRequest request;
  const std::shared_ptr<StageTimes> stage_times;  // may be null
  std::atomic<bool> dropped = false;              // nobody waits for the result
  std::promise<Diarization> promise;

  std::mutex mutex;  // guards what follows
  RecordingGatherer gatherer;
  std::exception_ptr failure;  // the first
  std::int64_t num_done = 0;   // blocks, failed ones included
  std::int64_t num_samples = 0;
  std::optional<std::int64_t> num_blocks;  // once the recording has ended
};

struct QueuedBlock {
  std::shared_ptr<OpenRecording> recording;
  Block block;
  ByteShare bytes;
};

}  // namespace

class Engine::Impl {
 public:
  Impl(std::shared_ptr<const Networks> networks,
       std::shared_ptr<const Recipe> recipe, const EngineOptions& options)
      : networks_(std::move(networks)),
        recipe_(std::move(recipe)),
        options_(options),
        budget_(budget_of(recipe_->chunk_layout(), options)),
        session_budget_(budget_.sessions),
        block_budget_(budget_.blocks) {
    for (int i = 0; i < options.num_consumers; ++i) {
      threads_.emplace_back([this] { consume(); });
      threads_.emplace_back([this] { finish_recordings(); });
    }
  }

  ~Impl() {
    blocks_.close();
    ended_.close();
  }

  // Waits for what a session may hold.
  [[nodiscard]] ByteShare take_session_share() {
    return {session_budget_,
            audio_memory(chunk_layout(), options_.feeder_bytes).session};
  }

  [[nodiscard]] ChunkLayout chunk_layout() const {
    return recipe_->chunk_layout();
  }

  // Hands a block to the consumers; waits while too many are queued.
  void put(const std::shared_ptr<OpenRecording>& recording, Block block) {
    const StageTimer timer(stage_times(), Stage::kWaitForEngine);
    ByteShare bytes(block_budget_, bytes_of(block.samples.size()));
    const auto num_chunks = static_cast<int>(block.chunk_starts.size());
    blocks_.put({recording, std::move(block), std::move(bytes)}, num_chunks);
  }

  // Says that a recording has no more than `num_blocks` blocks.
  void end(const std::shared_ptr<OpenRecording>& recording,
           std::int64_t num_blocks, std::int64_t num_samples) {
    bool complete = false;
    {
      const std::lock_guard lock(recording->mutex);
      recording->num_blocks = num_blocks;
      recording->num_samples = num_samples;
      complete = recording->num_done == num_blocks;
    }
    if (complete) ended_.put(recording, 1);
  }

 private:
  [[nodiscard]] StageTimes* stage_times() const {
    return options_.stage_times.get();
  }

  void consume() {
    std::unique_ptr<NetworkWorker> worker;
    while (true) {
      std::vector<QueuedBlock> batch;
      {
        StageTimer timer(stage_times(), Stage::kWaitForWork);
        batch = blocks_.take(options_.max_batch_chunks, options_.num_consumers);
      }
      if (batch.empty()) return;
      std::erase_if(batch, [](const QueuedBlock& queued) {
        return queued.recording->dropped.load();
      });
      if (batch.empty()) continue;
      try {
        if (!worker) worker = networks_->make_worker();
        std::vector<BlockResult> results = run(*worker, batch);
        for (std::size_t i = 0; i < batch.size(); ++i) {
          deliver(batch[i], std::move(results[i]));
        }
      } catch (...) {
        for (const QueuedBlock& queued : batch) fail(queued);
      }
    }
  }

  [[nodiscard]] std::vector<BlockResult> run(
      NetworkWorker& worker, const std::vector<QueuedBlock>& batch) const {
    std::vector<const Block*> blocks;
    blocks.reserve(batch.size());
    for (const QueuedBlock& queued : batch) blocks.push_back(&queued.block);
    std::vector<BlockResult> results(blocks.size());
    std::vector<std::vector<EmbeddingJob>> jobs(blocks.size());
    Stopwatch segmentation;
    Stopwatch embedding;
    segmentation.time([&] {
      const std::vector<SegmentationScores> scores = worker.segment(blocks);
      for (std::size_t i = 0; i < blocks.size(); ++i) {
        results[i].activity =
            decode_powerset(scores[i], blocks[i]->chunk_starts);
      }
    });
    const double features_before = worker.feature_seconds();
    embedding.time([&] {
      for (std::size_t i = 0; i < blocks.size(); ++i) {
        jobs[i] = recipe_->jobs(*blocks[i], results[i].activity);
        for (const EmbeddingJob& job : jobs[i]) {
          results[i].sources.push_back(job.source);
        }
      }
      std::vector<Array<float, 2>> embeddings = worker.embed(blocks, jobs);
      for (std::size_t i = 0; i < blocks.size(); ++i) {
        results[i].embeddings = std::move(embeddings[i]);
      }
    });
    const double features = worker.feature_seconds() - features_before;
    note(Stage::kFeatures, features, batch);
    note(Stage::kSegmentation, segmentation.seconds(), batch);
    note(Stage::kEmbedding, embedding.seconds() - features, batch);
    return results;
  }

  // Adds what a batch took to all times, and to those of its recordings by
  // their shares of the chunks.
  void note(Stage stage, double seconds,
            const std::vector<QueuedBlock>& batch) const {
    if (stage_times() != nullptr) stage_times()->add(stage, seconds);
    std::size_t num_chunks = 0;
    for (const QueuedBlock& queued : batch) {
      num_chunks += queued.block.chunk_starts.size();
    }
    for (const QueuedBlock& queued : batch) {
      if (!queued.recording->stage_times) continue;
      queued.recording->stage_times->add(
          stage, seconds *
                     static_cast<double>(queued.block.chunk_starts.size()) /
                     static_cast<double>(num_chunks));
    }
  }

  void deliver(const QueuedBlock& queued, BlockResult result) {
    OpenRecording& recording = *queued.recording;
    bool complete = false;
    {
      const std::lock_guard lock(recording.mutex);
      recording.gatherer.add(queued.block.index, std::move(result));
      complete = ++recording.num_done == recording.num_blocks;
    }
    if (complete) ended_.put(queued.recording, 1);
  }

  // Notes the exception in flight for the recording of a block.
  void fail(const QueuedBlock& queued) {
    OpenRecording& recording = *queued.recording;
    bool complete = false;
    {
      const std::lock_guard lock(recording.mutex);
      if (!recording.failure) recording.failure = std::current_exception();
      complete = ++recording.num_done == recording.num_blocks;
    }
    if (complete) ended_.put(queued.recording, 1);
  }

  void finish_recordings() {
    while (true) {
      const auto batch = ended_.take(1, 1);
      if (batch.empty()) return;
      finish(*batch.front());
    }
  }

  void finish(OpenRecording& recording) const {
    try {
      if (recording.failure) std::rethrow_exception(recording.failure);
      recording.promise.set_value(cluster(recording));
    } catch (...) {
      recording.promise.set_exception(std::current_exception());
    }
  }

  [[nodiscard]] Diarization cluster(OpenRecording& recording) const {
    StageTimes times;
    const Recording gathered = recording.gatherer.take(recording.num_samples);
    Diarization result = recipe_->finish(gathered, recording.request, &times);
    if (stage_times() != nullptr) stage_times()->add(times);
    if (recording.stage_times) recording.stage_times->add(times);
    result.seconds = sample_time(gathered.num_samples);
    return result;
  }

  const std::shared_ptr<const Networks> networks_;
  const std::shared_ptr<const Recipe> recipe_;
  const EngineOptions options_;
  const AudioBudget budget_;
  ByteBudget session_budget_;
  ByteBudget block_budget_;
  WorkQueue<QueuedBlock> blocks_;
  WorkQueue<std::shared_ptr<OpenRecording>> ended_;
  std::vector<std::jthread> threads_;  // last: joined before the rest goes
};

class Session::Impl {
 public:
  Impl(Engine::Impl& engine, const SessionOptions& options)
      : engine_(engine),
        share_(engine.take_session_share()),
        recording_(std::make_shared<OpenRecording>(options)),
        cutter_(engine.chunk_layout()) {}

  ~Impl() {
    if (!finished_) recording_->dropped = true;
  }

  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void push(std::span<const float> samples) {
    if (finished_) throw std::logic_error("Session: push after finish");
    // In pieces, so that the cutter never holds much more than a block.
    constexpr std::size_t kPiece = kMaxPieceSamples;
    while (!samples.empty()) {
      const auto piece = samples.first(std::min(samples.size(), kPiece));
      put(cutter_->push(piece));
      samples = samples.subspan(piece.size());
    }
  }

  [[nodiscard]] std::future<Diarization> finish() {
    if (finished_) throw std::logic_error("Session: finish twice");
    put(cutter_->finish());
    finished_ = true;
    std::future<Diarization> result = recording_->promise.get_future();
    engine_.end(recording_, num_blocks_, cutter_->num_samples());
    cutter_.reset();
    share_ = ByteShare();
    return result;
  }

 private:
  void put(std::vector<Block> blocks) {
    for (Block& block : blocks) {
      ++num_blocks_;
      engine_.put(recording_, std::move(block));
    }
  }

  Engine::Impl& engine_;
  ByteShare share_;  // given back last
  std::shared_ptr<OpenRecording> recording_;
  std::optional<BlockCutter> cutter_;  // none once finished
  std::int64_t num_blocks_ = 0;
  bool finished_ = false;
};

Session::Session(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

void Session::push(std::span<const float> samples) { impl_->push(samples); }

std::future<Diarization> Session::finish() { return impl_->finish(); }

Engine::Engine(std::shared_ptr<const Networks> networks,
               std::shared_ptr<const Recipe> recipe,
               const EngineOptions& options)
    : impl_(std::make_unique<Impl>(std::move(networks), std::move(recipe),
                                   options)) {}

Engine::~Engine() = default;

Session Engine::open(const SessionOptions& options) {
  return Session(std::make_unique<Session::Impl>(*impl_, options));
}

}  // namespace diarize
