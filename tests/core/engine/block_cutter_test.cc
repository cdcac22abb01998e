#include "core/engine/block_cutter.h"

#include <doctest/doctest.h>

#include <numeric>
#include <stdexcept>

namespace {

using diarize::Block;
using diarize::BlockCutter;
using diarize::ChunkLayout;
using diarize::LastChunk;

std::vector<float> ramp(std::int64_t num_samples) {
  std::vector<float> samples(static_cast<std::size_t>(num_samples));
  std::iota(samples.begin(), samples.end(), 1.0F);
  return samples;
}

std::vector<Block> cut(const ChunkLayout& layout, std::int64_t num_samples,
                       std::size_t piece) {
  BlockCutter cutter(layout);
  const std::vector<float> samples = ramp(num_samples);
  std::vector<Block> blocks;
  for (std::size_t at = 0; at < samples.size(); at += piece) {
    const auto part =
        std::span(samples).subspan(at, std::min(piece, samples.size() - at));
    for (Block& block : cutter.push(part)) blocks.push_back(std::move(block));
  }
  for (Block& block : cutter.finish()) blocks.push_back(std::move(block));
  return blocks;
}

std::vector<std::int64_t> starts_of(const std::vector<Block>& blocks) {
  std::vector<std::int64_t> starts;
  for (const Block& block : blocks) {
    starts.insert(starts.end(), block.chunk_starts.begin(),
                  block.chunk_starts.end());
  }
  return starts;
}

// Checks all that a block says of itself against a recording that is a ramp.
void check_consistent(const std::vector<Block>& blocks,
                      std::int64_t num_samples) {
  std::int64_t chunk = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const Block& block = blocks[i];
    CHECK(block.index == static_cast<std::int64_t>(i));
    CHECK(block.first_chunk == chunk);
    chunk += static_cast<std::int64_t>(block.chunk_starts.size());
    CHECK(block.previous_start.has_value() == (i > 0));
    if (i > 0) CHECK(block.previous_start == blocks[i - 1].chunk_starts.back());
    CHECK(block.next_start.has_value() == (i + 1 < blocks.size()));
    if (block.next_start) {
      CHECK(*block.next_start == blocks[i + 1].chunk_starts.front());
    } else {
      CHECK(block.recording_end == num_samples);
    }
    REQUIRE(block.first_sample <= block.chunk_starts.front());
    REQUIRE(block.first_sample +
                static_cast<std::int64_t>(block.samples.size()) ==
            block.chunk_starts.back() + diarize::kChunkSamples);
    bool samples_fit = true;
    for (std::size_t s = 0; s < block.samples.size(); ++s) {
      const std::int64_t at = block.first_sample + static_cast<std::int64_t>(s);
      const float expected =
          at < num_samples ? static_cast<float>(at + 1) : 0.0F;
      samples_fit = samples_fit && block.samples[s] == expected;
    }
    CHECK(samples_fit);
  }
}

const ChunkLayout kAligned{.hop_samples = 40000,
                           .last_chunk = LastChunk::kAligned,
                           .max_chunks_per_block = 4};
const ChunkLayout kPadded{.hop_samples = 16000,
                          .last_chunk = LastChunk::kPadded,
                          .max_chunks_per_block = 8};

}  // namespace

TEST_SUITE("block_cutter") {
  TEST_CASE("thirty seconds at a step of one second make 21 chunks") {
    const auto blocks = cut(kPadded, 480000, 7777);
    CHECK(starts_of(blocks).size() == 21);
    check_consistent(blocks, 480000);
  }

  TEST_CASE("one sample more makes one more padded chunk") {
    const auto blocks = cut(kPadded, 480001, 7777);
    REQUIRE(starts_of(blocks).size() == 22);
    CHECK(starts_of(blocks).back() == 21 * 16000);
    check_consistent(blocks, 480001);
  }

  TEST_CASE("the aligned last chunk ends within 159 samples of the end") {
    for (const std::int64_t num_samples :
         {160001, 160160, 200000, 215333, 479999, 480000, 480001, 1000003}) {
      CAPTURE(num_samples);
      const auto blocks = cut(kAligned, num_samples, 50021);
      const std::int64_t end = starts_of(blocks).back() + 160000;
      CHECK(end <= num_samples);
      CHECK(num_samples - end < 160);
      check_consistent(blocks, num_samples);
    }
  }

  TEST_CASE("a recording shorter than a chunk is one padded chunk") {
    for (const ChunkLayout& layout : {kAligned, kPadded}) {
      for (const std::int64_t num_samples : {1, 8000, 159999, 160000}) {
        const auto blocks = cut(layout, num_samples, 1000);
        CHECK(starts_of(blocks) == std::vector<std::int64_t>{0});
        check_consistent(blocks, num_samples);
      }
    }
  }

  TEST_CASE("an empty recording has no block") {
    BlockCutter cutter(kAligned);
    CHECK(cutter.finish().empty());
  }

  TEST_CASE("blocks do not depend on how the samples were pushed") {
    for (const ChunkLayout& layout : {kAligned, kPadded}) {
      const auto whole = cut(layout, 1234567, 1234567);
      const auto pieces = cut(layout, 1234567, 333);
      REQUIRE(whole.size() == pieces.size());
      for (std::size_t i = 0; i < whole.size(); ++i) {
        CHECK(whole[i].samples == pieces[i].samples);
        CHECK(whole[i].chunk_starts == pieces[i].chunk_starts);
      }
    }
  }

  TEST_CASE("no block has more chunks than the layout allows") {
    for (const Block& block : cut(kAligned, 2000000, 16000)) {
      CHECK(block.chunk_starts.size() <= 4);
    }
  }

  TEST_CASE("a hop between two rows of features is refused") {
    CHECK_THROWS_AS(BlockCutter({.hop_samples = 16001}), std::logic_error);
  }
}
