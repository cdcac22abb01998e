#include "core/local_vectors.h"

#include "core/clustering/vector_list.h"
#include "core/pieces.h"

#include <map>
#include <stdexcept>

namespace diarize {
namespace {

constexpr std::int32_t kNobody = -1;

// The piece that each output frame belongs to.
std::vector<std::int32_t> owners_of_frames(
    const LocalActivity& activity, std::span<const EmbeddingSource> pieces) {
  std::vector<std::int32_t> owners(
      num_output_frames(activity.chunk_starts.back()), kNobody);
  for (std::size_t piece = 0; piece < pieces.size(); ++piece) {
    const FrameSet frames = piece_frames(activity, pieces[piece]);
    const std::int64_t first =
        first_output_frame(activity.chunk_starts[pieces[piece].chunk]);
    for (std::size_t frame = frames._Find_first(); frame < kNumFrames;
         frame = frames._Find_next(frame)) {
      owners[first + frame] = static_cast<std::int32_t>(piece);
    }
  }
  return owners;
}

// Number of frames of each piece among those where a local speaker is alone;
// `owners` starts at the chunk's first frame.
std::map<std::int32_t, int> frames_by_piece(
    const FrameSet& alone, std::span<const std::int32_t> owners) {
  std::map<std::int32_t, int> frames;
  for (std::size_t frame = alone._Find_first(); frame < kNumFrames;
       frame = alone._Find_next(frame)) {
    if (owners[frame] != kNobody) ++frames[owners[frame]];
  }
  return frames;
}

}  // namespace

LocalVectors make_local_vectors(const LocalActivity& activity,
                                std::span<const EmbeddingSource> pieces,
                                const Array<double, 2>& vectors) {
  if (pieces.size() != vectors.size(0)) {
    throw std::logic_error("make_local_vectors: not one vector a piece");
  }
  LocalVectors result;
  if (activity.num_chunks() == 0) return result;
  const std::vector<std::int32_t> owners = owners_of_frames(activity, pieces);
  const std::size_t dimension = vectors.size(1);
  std::vector<double> values;
  std::int32_t num_rows = 0;
  for (std::size_t chunk = 0; chunk < activity.num_chunks(); ++chunk) {
    auto& rows = result.rows.emplace_back();
    auto& seconds = result.seconds.emplace_back();
    rows.fill(kNobody);
    const auto chunk_owners = std::span(owners).subspan(
        first_output_frame(activity.chunk_starts[chunk]), kNumFrames);
    for (int speaker = 0; speaker < kNumLocalSpeakers; ++speaker) {
      const auto frames =
          frames_by_piece(activity.alone(chunk, speaker), chunk_owners);
      if (frames.empty()) continue;
      values.resize(values.size() + dimension, 0.0);
      const std::span<double> sum = std::span(values).last(dimension);
      for (const auto& [piece, num_frames] : frames) {
        const double weight = num_frames * kFrameStep;
        const std::span<const double> vector = vectors.row(piece);
        for (std::size_t i = 0; i < dimension; ++i) {
          sum[i] += weight * vector[i];
        }
        seconds[speaker] += weight;
      }
      normalize(sum);
      rows[speaker] = num_rows++;
    }
  }
  result.values = Array<double, 2>(
      {static_cast<std::size_t>(num_rows), dimension}, std::move(values));
  return result;
}

}  // namespace diarize
