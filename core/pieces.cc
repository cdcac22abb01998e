#include "core/pieces.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <ranges>
#include <stdexcept>

namespace diarize {
namespace {

// Middle of a filter-bank row from the start of its chunk, in seconds.
double row_time(int row) {
  return (static_cast<double>(kFeatureHopSamples) * row +
          0.5 * kFeatureSamples) /
         kSampleRate;
}

// The frame of a chunk that each of its filter-bank rows falls on.
std::array<std::int16_t, kChunkFeatures> frames_of_rows() {
  std::array<std::int16_t, kChunkFeatures> frames{};
  for (int row = 0; row < kChunkFeatures; ++row) {
    frames[row] = static_cast<std::int16_t>(std::clamp<std::int64_t>(
        closest_frame(row_time(row)), 0, kNumFrames - 1));
  }
  return frames;
}

double chunk_middle(std::int64_t start) {
  return sample_time(start) + 0.5 * kChunkSeconds;
}

double cell_middle(std::int64_t cell) {
  const double begin = static_cast<double>(cell) * kCellSeconds;
  return 0.5 * (begin + static_cast<double>(cell + 1) * kCellSeconds);
}

// The chunk of the block that owns a cell: its number in the block; -1 or the
// number of chunks where a neighbour of the block is nearer.
std::int64_t owner_of(std::int64_t cell, const Block& block) {
  const double middle = cell_middle(cell);
  std::int64_t owner = 0;
  double best = std::abs(chunk_middle(block.chunk_starts[0]) - middle);
  const auto num_chunks = static_cast<std::int64_t>(block.chunk_starts.size());
  for (std::int64_t chunk = 1; chunk < num_chunks; ++chunk) {
    const double distance =
        std::abs(chunk_middle(block.chunk_starts[chunk]) - middle);
    if (distance < best) {
      best = distance;
      owner = chunk;
    }
  }
  if (block.next_start &&
      std::abs(chunk_middle(*block.next_start) - middle) < best) {
    return num_chunks;
  }
  if (block.previous_start &&
      std::abs(chunk_middle(*block.previous_start) - middle) <= best) {
    return -1;
  }
  return owner;
}

// Cells that may belong to the block: from the middle of the chunk before it
// to the middle of the one after it.
std::pair<std::int64_t, std::int64_t> candidate_cells(const Block& block) {
  const double begin =
      block.previous_start ? chunk_middle(*block.previous_start) : 0.0;
  const double recording_end = sample_time(block.recording_end);
  const double end =
      block.next_start ? chunk_middle(*block.next_start) : recording_end;
  return {static_cast<std::int64_t>(std::floor(begin / kCellSeconds)),
          static_cast<std::int64_t>(std::ceil(end / kCellSeconds))};
}

// Appends the pieces of one cell, which the block's chunk `chunk` owns.
void cut_cell(const Block& block, const LocalActivity& activity,
              std::int64_t chunk, std::int64_t cell,
              std::vector<EmbeddingJob>& pieces) {
  static const std::array<std::int16_t, kChunkFeatures> kFrames =
      frames_of_rows();
  const std::int64_t start = block.chunk_starts[chunk];
  const double chunk_time = sample_time(start);
  const double cell_begin = static_cast<double>(cell) * kCellSeconds;
  const double cell_end = std::min(static_cast<double>(cell + 1) * kCellSeconds,
                                   sample_time(block.recording_end));
  const auto rows = std::views::iota(0, kChunkFeatures);
  const auto is_before = [chunk_time](double time) {
    return [=](int row) { return chunk_time + row_time(row) < time; };
  };
  const auto begin = std::ranges::partition_point(rows, is_before(cell_begin));
  const auto end = std::ranges::partition_point(rows, is_before(cell_end));
  for (int speaker = 0; speaker < kNumLocalSpeakers; ++speaker) {
    const FrameSet alone = activity.alone(chunk, speaker);
    EmbeddingJob piece;
    for (auto row = begin; row < end; ++row) {
      if (!alone[kFrames[*row]]) continue;
      piece.rows.push_back(
          static_cast<std::int32_t>(start / kFeatureHopSamples + *row));
    }
    if (piece.rows.size() < kMinPieceRows) continue;
    piece.source = {static_cast<std::int32_t>(block.first_chunk + chunk),
                    speaker, static_cast<std::int32_t>(cell),
                    static_cast<std::int32_t>(piece.rows.size())};
    pieces.push_back(std::move(piece));
  }
}

}  // namespace

double piece_seconds(const EmbeddingSource& piece) {
  return piece.num_rows / kRowsPerSecond;
}

std::vector<EmbeddingJob> cut_pieces(const Block& block,
                                     const LocalActivity& activity) {
  if (activity.num_chunks() != block.chunk_starts.size()) {
    throw std::logic_error("cut_pieces: the activity is not of this block");
  }
  std::vector<EmbeddingJob> pieces;
  if (block.chunk_starts.empty()) return pieces;
  const auto num_chunks = static_cast<std::int64_t>(block.chunk_starts.size());
  const auto [first_cell, end_cell] = candidate_cells(block);
  for (std::int64_t cell = first_cell; cell < end_cell; ++cell) {
    const std::int64_t chunk = owner_of(cell, block);
    if (chunk < 0 || chunk >= num_chunks) continue;
    cut_cell(block, activity, chunk, cell, pieces);
  }
  return pieces;
}

FrameRange cell_frames(std::int64_t chunk_start, std::int32_t cell) {
  const double chunk_time = sample_time(chunk_start);
  const auto frames = std::views::iota(0, kNumFrames);
  const auto first_from = [&](double time) {
    return *std::ranges::partition_point(frames, [&](int frame) {
      return chunk_time + frame_centre(frame) < time;
    });
  };
  return {first_from(cell * kCellSeconds),
          first_from((cell + 1) * kCellSeconds)};
}

FrameSet piece_frames(const LocalActivity& activity,
                      const EmbeddingSource& piece) {
  const FrameRange range =
      cell_frames(activity.chunk_starts[piece.chunk], piece.cell);
  const FrameSet before_end = ~FrameSet{} >> (kNumFrames - range.end);
  const FrameSet from_begin = ~FrameSet{} << range.begin;
  return activity.alone(piece.chunk, piece.speaker) & before_end & from_begin;
}

}  // namespace diarize
