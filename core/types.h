#pragma once

#include "core/array.h"
#include "core/sliding_window.h"

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <vector>

namespace diarize {

// What crosses each seam between two stages, in the order of the stages.
// A stage is a pure function from one of these to a later one, over one block
// or one recording, so that each can be fed a golden and compared alone.

// A run of consecutive chunks of one recording, with its samples stored once.
// Chunks are views of the samples; what does not depend on the chunk is
// computed once per block.
struct Block {
  // (num_samples) in [-1, 1], 16 kHz mono; zero-padded to the end of the last
  // chunk where the recording ends before it.
  std::vector<float> samples;
  // Place of samples[0] in the recording, a multiple of kFeatureHopSamples.
  std::int64_t first_sample = 0;
  // (num_chunks) first samples in the recording, ascending, multiples of
  // kFeatureHopSamples.
  std::vector<std::int64_t> chunk_starts;
  // Number in the recording of the first chunk, and of the block itself.
  std::int64_t first_chunk = 0;
  std::int64_t index = 0;
  // Starts of the chunks before and after the block, where there are any.
  std::optional<std::int64_t> previous_start;
  std::optional<std::int64_t> next_start;
  // End of the recording in samples if the block is its last; else the end of
  // the samples known, which no chunk of the block reaches past.
  std::int64_t recording_end = 0;
};

// (num_chunks, kNumFrames, kNumClasses) natural log-probabilities of the
// powerset classes, of one block.
using SegmentationScores = Array<float, 3>;

// One bit a frame of a chunk.
using FrameSet = std::bitset<kNumFrames>;

// Which local speaker is active in which frame of which chunk, of a block or
// of a recording. Local speakers of different chunks have nothing to do with
// each other yet.
struct LocalActivity {
  // (num_chunks) first samples, ascending.
  std::vector<std::int64_t> chunk_starts;
  // (num_chunks, kNumLocalSpeakers), one bit a frame.
  std::vector<std::array<FrameSet, kNumLocalSpeakers>> active;

  [[nodiscard]] std::size_t num_chunks() const { return active.size(); }

  // Frames of a chunk in which this local speaker is active and no other.
  [[nodiscard]] FrameSet alone(std::size_t chunk, int speaker) const {
    FrameSet result = active[chunk][speaker];
    for (int other = 0; other < kNumLocalSpeakers; ++other) {
      if (other != speaker) result &= ~active[chunk][other];
    }
    return result;
  }
};

// Per output frame: how many speak, and how many chunks cover it.
struct SpeakerCount {
  std::vector<std::uint8_t> count;    // (num_output_frames)
  std::vector<std::uint16_t> covers;  // (num_output_frames)
};

// Where an embedding comes from: all that is kept of a job once it has run.
struct EmbeddingSource {
  std::int32_t chunk = 0;     // in the recording
  std::int32_t speaker = 0;   // local speaker of the chunk
  std::int32_t cell = -1;     // of 1.5 s, where the job is a piece; else -1
  std::int32_t num_rows = 0;  // filter-bank rows pooled, where it is a piece

  friend bool operator==(const EmbeddingSource&,
                         const EmbeddingSource&) = default;
};

// One run of the embedding network: either a piece (the default set), which
// pools all of `rows`, or a masked chunk (pyannote's pipelines), which runs
// over the chunk and pools the frames in `mask`.
struct EmbeddingJob {
  EmbeddingSource source;
  std::vector<std::int32_t> rows;  // filter-bank rows of the recording
  FrameSet mask;
};

// What the embedding network made of the jobs of a recording.
struct Embeddings {
  Array<float, 2> values;  // (num_jobs, dimension), not normalised
  std::vector<EmbeddingSource> sources;  // (num_jobs)
};

// A local speaker that belongs to no cluster.
inline constexpr std::int32_t kInactive = -2;

// Which cluster each local speaker belongs to.
struct Clusters {
  Array<std::int32_t, 2> assignment;  // (num_chunks, kNumLocalSpeakers)
  Array<double, 2> centroids;         // (num_clusters, dimension)
};

// A run of output frames in which one cluster is active.
struct ActiveRun {
  std::int32_t cluster = 0;
  std::int64_t first_frame = 0;
  std::int64_t end_frame = 0;  // one past the last

  friend bool operator==(const ActiveRun&, const ActiveRun&) = default;
};

// Which cluster is active in which output frame, as runs: memory grows with
// the number of turns, not with frames times speakers.
struct SpeakerActivity {
  std::int64_t num_frames = 0;
  std::vector<ActiveRun> runs;  // by cluster, then first frame
};

// One speaker speaking for a while.
struct Turn {
  double onset = 0.0;        // s
  double duration = 0.0;     // s
  std::int32_t speaker = 0;  // the number in SPEAKER_nn

  friend bool operator==(const Turn&, const Turn&) = default;
};

// Sorted by onset, then end, then speaker.
using Turns = std::vector<Turn>;

// How many speakers the user asks for; none set means the pipeline decides.
// Ranges are checked where the numbers come in: each at least 1, min <= max.
struct SpeakerRequest {
  std::optional<int> num;
  std::optional<int> min;
  std::optional<int> max;
};

// All there is of a recording once the networks are done with it.
struct Recording {
  std::int64_t num_samples = 0;
  LocalActivity activity;
  Embeddings embeddings;
};

// Who spoke when.
struct Diarization {
  Turns turns;                 // speakers may overlap
  Turns exclusive_turns;       // one speaker at a time, labels of `turns`
  int num_speakers = 0;        // that have a turn
  Array<double, 2> centroids;  // (num_speakers, dimension), by label
  double seconds = 0.0;        // of audio
};

}  // namespace diarize
