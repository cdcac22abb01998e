#pragma once

#include "core/types.h"

#include <cstdint>
#include <vector>

namespace diarize {

// Pieces: what the default recipe embeds.
//
// The recording is divided into cells of 1.5 s. Each cell belongs to the chunk
// whose middle is nearest to its own, the first of equals. A piece is what one
// local speaker of that chunk says alone inside the cell: the filter-bank rows
// whose nearest frame has only this speaker. The rows need not be contiguous.
// Cells are short enough to hold one voice even where the segmentation took
// two for one, and each is embedded once however much the chunks overlap.

inline constexpr double kCellSeconds = 1.5;
inline constexpr int kMinPieceRows = 20;         // fewer make no piece
inline constexpr double kRowsPerSecond = 100.0;  // of the filter bank

// Frames [begin, end) of a chunk.
struct FrameRange {
  int begin = 0;
  int end = 0;

  friend bool operator==(const FrameRange&, const FrameRange&) = default;
};

// Length of a piece in seconds.
[[nodiscard]] double piece_seconds(const EmbeddingSource& piece);

// The pieces of the cells that the block's own chunks own, by cell, then local
// speaker. `activity` is that of the block's chunks alone.
//
// The block's neighbours decide its borders, so every cell of a recording
// falls to exactly one block; with the blocks in order the pieces of a
// recording are in order too. Throws std::logic_error if `activity` does not
// belong to the block.
[[nodiscard]] std::vector<EmbeddingJob> cut_pieces(
    const Block& block, const LocalActivity& activity);

// Frames of a chunk whose middle lies in a cell.
[[nodiscard]] FrameRange cell_frames(std::int64_t chunk_start,
                                     std::int32_t cell);

// Frames of its chunk that a piece speaks for: those of the cell in which the
// local speaker is alone. `activity` is that of the recording.
[[nodiscard]] FrameSet piece_frames(const LocalActivity& activity,
                                    const EmbeddingSource& piece);

}  // namespace diarize
