#pragma once

#include "core/engine/networks.h"
#include "core/engine/recipe.h"
#include "core/engine/stage_times.h"
#include "core/types.h"

#include <cstddef>
#include <future>
#include <memory>
#include <optional>
#include <span>

namespace diarize {

struct EngineOptions {
  // Threads that run the networks, each with a worker of its own. On CPUs one
  // a core, on a GPU one.
  int num_consumers = 1;
  // Chunks that go through the networks together, 1 or more. Changes speed
  // and memory, never a result.
  int max_batch_chunks = 16;
  // Bytes of samples that may be in memory, in sessions and blocks; none: as
  // many as keep all consumers busy (see core/engine/audio_memory.h). Where it
  // is less than one session and one block take, it is as if it were those.
  std::optional<std::size_t> max_bytes_in_flight;
  // Those that whoever feeds a session holds beside it count as its own.
  std::size_t feeder_bytes = 0;
  // Where the time of each stage is added up; none: not measured.
  std::shared_ptr<StageTimes> stage_times;
};

struct SessionOptions {
  SpeakerRequest request;
  // Where what the networks, clustering and reconstruction took for this
  // recording is added up, complete once its future is ready; what a batch of
  // several recordings took is shared out by their chunks. None: not measured.
  std::shared_ptr<StageTimes> stage_times;
};

// One recording on its way through the engine. Has one owner, who may be on
// any thread; movable. Destroying it before finish() drops the recording.
class Session {
 public:
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  // Takes the next samples, 16 kHz mono in [-1, 1], any number of them; waits
  // while the engine is behind. Throws std::logic_error after finish().
  void push(std::span<const float> samples);

  // Ends the recording. The future gives its turns, or throws what went wrong
  // in the networks or the clustering.
  [[nodiscard]] std::future<Diarization> finish();

 private:
  friend class Engine;
  class Impl;
  explicit Session(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Runs many recordings through one pipeline at once. Thread safe.
//
// Sessions cut samples into blocks; consumers take batches of blocks of any
// recordings through segmentation and embedding; what a recording needs for
// its turns is gathered in order, and finishing threads cluster it once its
// last block is done. Results are the same bytes whatever else runs, in
// whatever order, on however many threads.
class Engine {
 public:
  // Starts the threads. Throws std::logic_error if an option is out of range.
  Engine(std::shared_ptr<const Networks> networks,
         std::shared_ptr<const Recipe> recipe, const EngineOptions& options);

  // Ends the threads. Recordings not done by then are dropped, and their
  // futures throw.
  ~Engine();

  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Opens a recording; waits while the memory for open sessions is spent,
  // which each holds until its finish(): who opens many at once on one thread
  // sets `max_bytes_in_flight` for as many. The session must not outlive the
  // engine.
  [[nodiscard]] Session open(const SessionOptions& options);

 private:
  friend class Session;
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace diarize
