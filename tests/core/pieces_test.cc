#include "core/pieces.h"

#include "core/engine/block_cutter.h"
#include "tests/core/default_golden.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace diarize {
namespace {

bool operator==(const EmbeddingJob& a, const EmbeddingJob& b) {
  return a.source == b.source && a.rows == b.rows;
}

std::vector<int> members(const FrameSet& frames) {
  std::vector<int> result;
  for (int frame = 0; frame < kNumFrames; ++frame) {
    if (frames[frame]) result.push_back(frame);
  }
  return result;
}

// The chunks of a recording in blocks of `size`, without samples.
std::vector<Block> cut_blocks(const std::vector<std::int64_t>& starts,
                              std::int64_t num_samples, std::size_t size) {
  std::vector<Block> blocks;
  for (std::size_t begin = 0; begin < starts.size(); begin += size) {
    const std::size_t end = std::min(begin + size, starts.size());
    Block block;
    block.chunk_starts.assign(starts.begin() + begin, starts.begin() + end);
    block.first_chunk = static_cast<std::int64_t>(begin);
    if (begin > 0) block.previous_start = starts[begin - 1];
    if (end < starts.size()) block.next_start = starts[end];
    block.recording_end =
        end < starts.size() ? starts[end] + kChunkSamples : num_samples;
    blocks.push_back(block);
  }
  return blocks;
}

LocalActivity activity_of(const LocalActivity& whole, const Block& block) {
  LocalActivity part;
  part.chunk_starts = block.chunk_starts;
  const auto first = whole.active.begin() + block.first_chunk;
  part.active.assign(
      first, first + static_cast<std::int64_t>(block.chunk_starts.size()));
  return part;
}

// A chunk at `start` with speaker 0 alone all the time.
LocalActivity monologue(std::vector<std::int64_t> starts) {
  LocalActivity activity;
  activity.active.resize(starts.size());
  for (auto& speakers : activity.active) speakers[0].set();
  activity.chunk_starts = std::move(starts);
  return activity;
}

TEST_SUITE("pieces") {
  TEST_CASE("rows of the pieces equal the reference") {
    for (const char* name : {"pyannote_sample", "ami_EN2002a", "falcon_test",
                             "meeting_m2b", "meeting_m8"}) {
      const auto golden = test::load_golden(name);
      if (!golden) continue;
      const auto pieces = cut_pieces(golden->block, golden->recording.activity);
      REQUIRE_MESSAGE(pieces.size() == golden->jobs.size(), name);
      for (std::size_t piece = 0; piece < pieces.size(); ++piece) {
        CHECK(pieces[piece] == golden->jobs[piece]);
      }
    }
  }

  TEST_CASE("frames of the pieces equal the reference") {
    for (const char* name : {"pyannote_sample", "ami_EN2002a", "falcon_test",
                             "meeting_m2b", "meeting_m8"}) {
      const auto golden = test::load_golden(name);
      if (!golden) continue;
      for (std::size_t piece = 0; piece < golden->jobs.size(); ++piece) {
        const FrameSet frames = piece_frames(golden->recording.activity,
                                             golden->jobs[piece].source);
        CHECK(members(frames) == golden->frames[piece]);
      }
    }
  }

  TEST_CASE("blocks of any size give the pieces of the whole recording") {
    for (const char* name : {"pyannote_sample", "meeting_m2b"}) {
      const auto golden = test::load_golden(name);
      if (!golden) continue;
      const LocalActivity& activity = golden->recording.activity;
      for (const std::size_t size : {1, 2, 7, 32}) {
        std::vector<EmbeddingJob> pieces;
        for (const Block& block : cut_blocks(
                 activity.chunk_starts, golden->recording.num_samples, size)) {
          std::ranges::move(cut_pieces(block, activity_of(activity, block)),
                            std::back_inserter(pieces));
        }
        CHECK(std::ranges::equal(
            pieces, golden->jobs,
            [](const auto& a, const auto& b) { return a == b; }));
      }
    }
  }

  TEST_CASE("a cell as near to two chunks belongs to the first") {
    // Chunks are centred on 5 s and 5.5 s, cell 3 on 5.25 s.
    Block block;
    block.chunk_starts = {0, kSampleRate / 2};
    block.recording_end = kChunkSamples + kSampleRate / 2;
    const auto pieces = cut_pieces(block, monologue(block.chunk_starts));
    REQUIRE(pieces.size() == 7);
    CHECK(pieces[3].source.chunk == 0);
    CHECK(pieces[4].source.chunk == 1);
  }

  TEST_CASE("a piece takes the rows up to the end of the recording") {
    Block block;
    block.chunk_starts = {0};
    block.recording_end = 2 * kSampleRate;
    const auto pieces = cut_pieces(block, monologue({0}));
    REQUIRE(pieces.size() == 2);
    CHECK(pieces[0].rows.size() == 149);
    // Rows are centred on 0.0125 s and every 10 ms after it.
    CHECK(pieces[1].rows.back() == 198);
    CHECK(pieces[1].rows.size() == 50);
  }

  TEST_CASE("fewer than twenty rows make no piece") {
    Block block;
    block.chunk_starts = {0};
    block.recording_end = kSampleRate * 17 / 10;
    CHECK(cut_pieces(block, monologue({0})).size() == 2);
    block.recording_end -= 160;
    CHECK(cut_pieces(block, monologue({0})).size() == 1);
  }

  TEST_CASE("frames where two speak make no piece") {
    Block block;
    block.chunk_starts = {0};
    block.recording_end = kChunkSamples;
    LocalActivity activity = monologue({0});
    activity.active[0][1].set();
    CHECK(cut_pieces(block, activity).empty());
  }

  TEST_CASE("activity of another block is refused") {
    Block block;
    block.chunk_starts = {0, 16000};
    CHECK_THROWS_AS((void)cut_pieces(block, monologue({0})), std::logic_error);
  }

  TEST_CASE("a piece lasts a hundredth of a second for each row") {
    CHECK(piece_seconds({0, 0, 0, 150}) == 1.5);
  }
}

}  // namespace
}  // namespace diarize
