#pragma once

#include "io/audio_input.h"
#include "io/child_process.h"
#include "io/decoder.h"
#include "io/message_channel.h"

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <vector>

namespace diarize {

// How decoder processes are run.
struct DecoderPoolOptions {
  int num_workers = 1;            // at least 1
  std::filesystem::path program;  // diarize-decode
  // Address space of a process; 0 sets no limit.
  std::int64_t memory_limit_bytes = std::int64_t{1} << 30;
};

// diarize-decode beside the program that is running.
[[nodiscard]] std::filesystem::path decoder_program();

// Decodes files in processes of their own, which stay for the next file and
// are started when they are first needed. What a file does to its decoder, be
// it a crash, a hang or a hunger for memory, costs that file an InputError and
// the process, which is replaced. Thread safe: as many threads as there are
// processes decode at once, more wait.
class DecoderPool {
 public:
  explicit DecoderPool(DecoderPoolOptions options);

  // As decode_file, with the same samples to the last bit and the same report.
  // The sink runs in the calling thread; while it waits, so does the process.
  [[nodiscard]] DecodeReport decode(const std::filesystem::path& path,
                                    const DecodeOptions& options,
                                    const SampleSink& sink);

  // Processes that had to be given up so far.
  [[nodiscard]] int num_lost() const { return num_lost_; }

  // Process numbers of those that wait for a file.
  [[nodiscard]] std::vector<pid_t> idle_pids() const;

 private:
  struct Worker {
    MessageChannel channel;
    ChildProcess process;
  };

  // The report, or why there is none.
  struct Answer {
    std::optional<DecodeReport> report;
    bool unreadable = false;
    std::string refusal;
  };

  [[nodiscard]] Worker start() const;
  [[nodiscard]] std::optional<Worker> take_idle();
  [[nodiscard]] Worker acquire();
  void release(Worker worker);
  void give_up();
  [[nodiscard]] DecodeReport decode_input(const AudioInput& input,
                                          const DecodeOptions& options,
                                          const SampleSink& sink);
  [[nodiscard]] Answer receive(Worker& worker, const Waiting& waiting,
                               const SampleSink& sink);

  const DecoderPoolOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable freed_;
  std::vector<Worker> idle_;
  int num_busy_ = 0;
  std::atomic<int> num_lost_ = 0;
};

}  // namespace diarize
