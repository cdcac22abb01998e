#include "io/decoder_pool.h"

#include "core/error.h"
#include "io/sndfile_source.h"
#include "io/spool.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <utility>

namespace diarize {

namespace {

std::vector<float> samples_of(std::span<const std::byte> payload) {
  std::vector<float> samples(payload.size() / sizeof(float));
  std::memcpy(samples.data(), payload.data(), samples.size() * sizeof(float));
  return samples;
}

std::string text_of(std::span<const std::byte> payload) {
  std::string text(payload.size(), '\0');
  std::memcpy(text.data(), payload.data(), payload.size());
  return text;
}

}  // namespace

std::filesystem::path decoder_program() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() /
         "diarize-decode";
}

DecoderPool::DecoderPool(DecoderPoolOptions options)
    : options_(std::move(options)) {
  if (options_.num_workers < 1) {
    throw std::logic_error("DecoderPool: no workers");
  }
}

DecoderPool::Worker DecoderPool::start() const {
  auto [ours, theirs] = MessageChannel::make_pair();
  ChildProcess process(options_.program,
                       {std::to_string(options_.memory_limit_bytes)},
                       {{theirs.number(), kDecoderSocket}});
  return {std::move(ours), std::move(process)};
}

// One that is still there; whoever died while it waited had no file to fail.
std::optional<DecoderPool::Worker> DecoderPool::take_idle() {
  std::unique_lock lock(mutex_);
  freed_.wait(lock, [&] { return num_busy_ < options_.num_workers; });
  ++num_busy_;
  while (!idle_.empty()) {
    Worker worker = std::move(idle_.back());
    idle_.pop_back();
    if (worker.process.is_running()) return worker;
    ++num_lost_;
  }
  return std::nullopt;
}

DecoderPool::Worker DecoderPool::acquire() {
  if (auto worker = take_idle()) return std::move(*worker);
  try {
    return start();
  } catch (...) {
    give_up();
    throw;
  }
}

void DecoderPool::release(Worker worker) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(worker));
  --num_busy_;
  freed_.notify_one();
}

void DecoderPool::give_up() {
  const std::lock_guard lock(mutex_);
  --num_busy_;
  freed_.notify_one();
}

std::vector<pid_t> DecoderPool::idle_pids() const {
  const std::lock_guard lock(mutex_);
  std::vector<pid_t> pids;
  pids.reserve(idle_.size());
  for (const Worker& worker : idle_) pids.push_back(worker.process.pid());
  return pids;
}

DecoderPool::Answer DecoderPool::receive(Worker& worker, const Waiting& waiting,
                                         const SampleSink& sink) {
  for (;;) {
    const auto message = worker.channel.receive(waiting);
    if (!message) {
      const std::string end = worker.process.end();
      throw InputError(fmt::format("the decoder process {} in the middle",
                                   end.empty() ? "ended" : end));
    }
    switch (message->kind) {
      case MessageKind::kSamples:
        if (!message->payload.empty()) sink(samples_of(message->payload));
        break;
      case MessageKind::kReport:
        return {parse_report(message->payload), false, ""};
      case MessageKind::kRefusal:
        return {std::nullopt, false, text_of(message->payload)};
      case MessageKind::kUnreadable:
        return {std::nullopt, true, text_of(message->payload)};
      case MessageKind::kRequest:
        throw InputError("the decoder process sent a request");
    }
  }
}

DecodeReport DecoderPool::decode(const std::filesystem::path& path,
                                 const DecodeOptions& options,
                                 const SampleSink& sink) {
  AudioInput input(path, options.through_ffmpeg, options.waiting);
  const auto decode_from = [&](const SampleSink& target) {
    return decode_input(input, options, target);
  };
  return input.run(decode_from, options, sink);
}

DecodeReport DecoderPool::decode_input(const AudioInput& input,
                                       const DecodeOptions& options,
                                       const SampleSink& sink) {
  const FileDescriptor spool_file =
      input.seekable() ? FileDescriptor() : make_nameless_file();
  const std::array<int, 2> files = {input.file().number(), spool_file.number()};
  Worker worker = acquire();
  Answer answer;
  try {
    // A process that is gone shows when its answer is read.
    static_cast<void>(
        worker.channel.send(MessageKind::kRequest, encode_options(options),
                            std::span(files).first(input.seekable() ? 1 : 2)));
    answer = receive(worker, input.waiting(options.waiting), sink);
  } catch (...) {
    ++num_lost_;
    give_up();
    throw;
  }
  release(std::move(worker));
  if (answer.report) return std::move(*answer.report);
  if (answer.unreadable) throw UnreadableError(answer.refusal);
  throw InputError(answer.refusal);
}

}  // namespace diarize
