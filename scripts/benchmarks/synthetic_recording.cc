#include "scripts/benchmarks/synthetic_recording.h"

#include "core/pieces.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <span>
#include <vector>

namespace diarize::bench {
namespace {

constexpr std::size_t kDimension = 192;
constexpr double kNoiseSeconds = 1.18;  // of a piece that is half noise
constexpr double kCommon = 0.35;        // cosine of two voices
constexpr double kDrift = 0.1;          // part of a voice that changes
constexpr double kDriftSeconds = 600.0;

using Vector = std::vector<double>;

struct Utterance {
  double onset = 0.0;
  double end = 0.0;
  std::size_t voice = 0;
};

class Generator {
 public:
  explicit Generator(const RecordingOptions& options)
      : options_(options), random_(options.seed) {}

  [[nodiscard]] Recording run();

 private:
  [[nodiscard]] double uniform() { return uniform_(random_); }
  [[nodiscard]] Vector direction();
  void speak();
  void hear(Recording& recording);
  void embed(Recording& recording);
  [[nodiscard]] Vector voice_at(std::size_t voice, double seconds);

  RecordingOptions options_;
  std::mt19937 random_;
  std::uniform_real_distribution<double> uniform_{0.0, 1.0};
  std::vector<Utterance> utterances_;
  Vector common_;
  std::vector<Vector> voices_;
  std::map<std::pair<std::size_t, int>, Vector> drifts_;
  // Voice of each local speaker of each chunk.
  std::vector<std::array<std::size_t, kNumLocalSpeakers>> heard_;
};

// A vector of about length one in any direction.
Vector Generator::direction() {
  std::normal_distribution<double> normal(0.0, 1.0 / std::sqrt(kDimension));
  Vector vector(kDimension);
  for (double& value : vector) value = normal(random_);
  return vector;
}

void Generator::speak() {
  std::exponential_distribution<double> length(1.0 / options_.mean_turn);
  double time = 0.0;
  std::size_t voice = 0;
  while (time < options_.minutes * 60.0) {
    const double end = time + 0.4 + length(random_);
    utterances_.push_back({time, end, voice});
    // Some turns start before the last has ended.
    time = std::max(time, end + (uniform() < 0.2 ? -0.6 : 0.5 * uniform()));
    voice = (voice + 1 +
             static_cast<std::size_t>(
                 uniform() * static_cast<double>(options_.num_voices - 1))) %
            options_.num_voices;
  }
}

// What the segmentation network would say.
void Generator::hear(Recording& recording) {
  const auto hop = static_cast<std::int64_t>(options_.step * kSampleRate);
  std::size_t first = 0;
  for (std::int64_t start = 0; start + kChunkSamples <= recording.num_samples;
       start += hop) {
    recording.activity.chunk_starts.push_back(start);
    auto& active = recording.activity.active.emplace_back();
    auto& voices = heard_.emplace_back();
    int num_heard = 0;
    const double begin = sample_time(start);
    while (utterances_[first].end < begin - 60.0) ++first;
    for (std::size_t i = first; i < utterances_.size(); ++i) {
      const Utterance& utterance = utterances_[i];
      if (utterance.onset > begin + kChunkSeconds) break;
      if (utterance.end < begin) continue;
      int speaker = 0;
      while (speaker < num_heard && voices[speaker] != utterance.voice) {
        ++speaker;
      }
      if (speaker == kNumLocalSpeakers) continue;
      if (speaker == num_heard) voices[num_heard++] = utterance.voice;
      for (int frame = 0; frame < kNumFrames; ++frame) {
        const double time = begin + frame_centre(frame);
        if (time >= utterance.onset && time < utterance.end) {
          active[speaker].set(frame);
        }
      }
    }
  }
}

Vector Generator::voice_at(std::size_t voice, double seconds) {
  const int period = static_cast<int>(seconds / kDriftSeconds);
  Vector& drift = drifts_[{voice, period}];
  if (drift.empty()) drift = direction();
  Vector result(kDimension);
  for (std::size_t i = 0; i < kDimension; ++i) {
    result[i] = std::sqrt(kCommon) * common_[i] +
                std::sqrt(1.0 - kCommon - kDrift) * voices_[voice][i] +
                std::sqrt(kDrift) * drift[i];
  }
  return result;
}

void Generator::embed(Recording& recording) {
  common_ = direction();
  for (std::size_t voice = 0; voice < options_.num_voices; ++voice) {
    voices_.push_back(direction());
  }
  Block block;
  block.chunk_starts = recording.activity.chunk_starts;
  block.recording_end = recording.num_samples;
  const auto jobs = cut_pieces(block, recording.activity);
  Embeddings& embeddings = recording.embeddings;
  embeddings.values = Array<float, 2>({jobs.size(), kDimension});
  for (std::size_t job = 0; job < jobs.size(); ++job) {
    const EmbeddingSource& source = jobs[job].source;
    embeddings.sources.push_back(source);
    const double seconds = piece_seconds(source);
    const bool garbage = uniform() < options_.garbage_share;
    const double quality = garbage ? 0.1 : seconds / (seconds + kNoiseSeconds);
    const Vector voice = voice_at(heard_[source.chunk][source.speaker],
                                  source.cell * kCellSeconds);
    const Vector noise = direction();
    for (std::size_t i = 0; i < kDimension; ++i) {
      embeddings.values(job, i) = static_cast<float>(
          std::sqrt(quality) * voice[i] + std::sqrt(1.0 - quality) * noise[i]);
    }
  }
}

Recording Generator::run() {
  Recording recording;
  recording.num_samples =
      static_cast<std::int64_t>(options_.minutes * 60.0 * kSampleRate);
  speak();
  hear(recording);
  embed(recording);
  return recording;
}

}  // namespace

Recording make_recording(const RecordingOptions& options) {
  return Generator(options).run();
}

}  // namespace diarize::bench
