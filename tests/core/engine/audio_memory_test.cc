#include "core/engine/audio_memory.h"

#include <doctest/doctest.h>

using diarize::ample_budget;
using diarize::audio_memory;
using diarize::AudioBudget;
using diarize::AudioMemory;
using diarize::ChunkLayout;
using diarize::limited_budget;

namespace {

constexpr ChunkLayout kLayout{.max_chunks_per_block = 32};  // one each second
constexpr std::size_t kSample = sizeof(float);

}  // namespace

TEST_SUITE("audio memory") {
  TEST_CASE("a block is its samples and a session holds two and a piece") {
    const AudioMemory memory = audio_memory(kLayout, 1000);
    CHECK(memory.block == kSample * (31 * 16000 + 160000));
    CHECK(memory.session ==
          kSample * (32 * 16000 + 2 * 160000 + 160) + memory.block + 1000);
    CHECK(memory.least() == memory.block + memory.session);
  }

  TEST_CASE("each consumer has three batches and two sessions") {
    const AudioMemory memory = audio_memory(kLayout, 0);
    const AudioBudget one = ample_budget(memory, kLayout, 1, 32);
    CHECK(one.sessions == 2 * memory.session);
    CHECK(one.blocks == 3 * memory.block);
    const AudioBudget four = ample_budget(memory, kLayout, 4, 33);
    CHECK(four.sessions == 8 * memory.session);
    CHECK(four.blocks == 24 * memory.block);
  }

  TEST_CASE("a limit is held from the least on") {
    const AudioMemory memory = audio_memory(kLayout, 0);
    const AudioBudget ample = ample_budget(memory, kLayout, 4, 32);
    for (std::size_t limit = memory.least(); limit < 2 * ample.total();
         limit += memory.block / 3) {
      const AudioBudget budget = limited_budget(memory, ample, limit);
      CHECK(budget.total() == limit);
      CHECK(budget.sessions >= memory.session);
      CHECK(budget.sessions % memory.session == 0);
      CHECK(budget.blocks >= memory.block);
    }
    CHECK(limited_budget(memory, ample, ample.total()).blocks == ample.blocks);
  }

  TEST_CASE("below the least it is the least") {
    const AudioMemory memory = audio_memory(kLayout, 0);
    const AudioBudget ample = ample_budget(memory, kLayout, 4, 32);
    CHECK(limited_budget(memory, ample, 1).total() == memory.least());
  }
}
