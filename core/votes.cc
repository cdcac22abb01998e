#include "core/votes.h"

#include "core/pieces.h"
#include "core/top_clusters.h"

#include <algorithm>
#include <ranges>
#include <stdexcept>

namespace diarize {
namespace {

constexpr double kPieceWeight = 1.2;  // votes of a piece for each chunk
constexpr std::int64_t kFramesAtOnce = 4096;

// The votes of a range of output frames.
class Tally {
 public:
  Tally(const Ballot& ballot, std::int64_t begin, std::int64_t end)
      : ballot_(ballot),
        begin_(begin),
        votes_({static_cast<std::size_t>(end - begin), ballot.num_clusters},
               0.0) {}

  void add_chunk(std::size_t chunk);
  void add_piece(std::size_t piece);
  [[nodiscard]] Array<double, 2> take() { return std::move(votes_); }

 private:
  // Adds value(output frame) to a cluster in each of these frames of a chunk.
  template <typename Value>
  void add(const FrameSet& frames, std::size_t chunk, std::int32_t cluster,
           Value value) {
    const std::int64_t first =
        first_output_frame(ballot_.activity.chunk_starts[chunk]);
    const auto num_frames = static_cast<std::int64_t>(votes_.size(0));
    for (std::size_t frame = frames._Find_first(); frame < kNumFrames;
         frame = frames._Find_next(frame)) {
      const std::int64_t output = first + static_cast<std::int64_t>(frame);
      if (output < begin_ || output >= begin_ + num_frames) continue;
      votes_(output - begin_, cluster) += value(output);
    }
  }

  const Ballot& ballot_;
  std::int64_t begin_;
  Array<double, 2> votes_;
};

void Tally::add_chunk(std::size_t chunk) {
  const auto clusters = ballot_.assignment.row(chunk);
  const auto& active = ballot_.activity.active[chunk];
  for (int speaker = 0; speaker < kNumLocalSpeakers; ++speaker) {
    const std::int32_t cluster = clusters[speaker];
    const auto before = clusters.first(speaker);
    if (cluster == kInactive || std::ranges::count(before, cluster) > 0) {
      continue;
    }
    FrameSet frames = active[speaker];
    for (int other = speaker + 1; other < kNumLocalSpeakers; ++other) {
      if (clusters[other] == cluster) frames |= active[other];
    }
    add(frames, chunk, cluster, [](std::int64_t) { return 1.0; });
  }
}

void Tally::add_piece(std::size_t piece) {
  const EmbeddingSource& source = ballot_.pieces[piece];
  add(piece_frames(ballot_.activity, source), source.chunk,
      ballot_.piece_clusters[piece], [this](std::int64_t frame) {
        return kPieceWeight * ballot_.count.covers[frame];
      });
}

// Chunks [first, last) that cover any of the output frames [begin, end).
std::pair<std::size_t, std::size_t> covering_chunks(
    const std::vector<std::int64_t>& starts, std::int64_t begin,
    std::int64_t end) {
  const auto first =
      std::ranges::partition_point(starts, [=](std::int64_t start) {
        return first_output_frame(start) + kNumFrames <= begin;
      });
  const auto last = std::ranges::partition_point(
      starts,
      [=](std::int64_t start) { return first_output_frame(start) < end; });
  return {first - starts.begin(), last - starts.begin()};
}

void check(const Ballot& ballot) {
  if (ballot.assignment.size(0) != ballot.activity.num_chunks() ||
      ballot.pieces.size() != ballot.piece_clusters.size()) {
    throw std::logic_error("count_votes: not one cluster for every voter");
  }
}

}  // namespace

Array<double, 2> count_votes(const Ballot& ballot, std::int64_t begin,
                             std::int64_t end) {
  check(ballot);
  Tally tally(ballot, begin, end);
  const auto [first, last] =
      covering_chunks(ballot.activity.chunk_starts, begin, end);
  for (std::size_t chunk = first; chunk < last; ++chunk) {
    tally.add_chunk(chunk);
  }
  const auto chunk_before = [](std::size_t bound) {
    return [bound](const EmbeddingSource& piece) {
      return static_cast<std::size_t>(piece.chunk) < bound;
    };
  };
  const auto first_piece =
      std::ranges::partition_point(ballot.pieces, chunk_before(first));
  const auto last_piece =
      std::ranges::partition_point(ballot.pieces, chunk_before(last));
  for (auto piece = first_piece; piece < last_piece; ++piece) {
    tally.add_piece(piece - ballot.pieces.begin());
  }
  return tally.take();
}

Reconstruction reconstruct(const Ballot& ballot) {
  const auto num_frames = static_cast<std::int64_t>(ballot.count.count.size());
  RunCollector regular(ballot.num_clusters);
  RunCollector exclusive(ballot.num_clusters);
  for (std::int64_t begin = 0; begin < num_frames; begin += kFramesAtOnce) {
    const std::int64_t end = std::min(begin + kFramesAtOnce, num_frames);
    const Array<double, 2> votes = count_votes(ballot, begin, end);
    for (std::int64_t frame = begin; frame < end; ++frame) {
      const int count = ballot.count.count[frame];
      if (count == 0) continue;
      const auto row = votes.row(frame - begin);
      regular.add(frame, top_clusters(row, count));
      exclusive.add(frame, top_clusters(row, 1));
    }
  }
  return {regular.finish(num_frames), exclusive.finish(num_frames)};
}

}  // namespace diarize
