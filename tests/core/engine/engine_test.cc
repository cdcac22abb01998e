#include "core/engine/engine.h"

#include "core/error.h"
#include "tests/support/stand_in_networks.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <random>
#include <stdexcept>
#include <thread>

namespace {

using diarize::Diarization;
using diarize::Engine;
using diarize::EngineOptions;
using diarize::test::StandInNetworks;
using diarize::test::StandInRecipe;

const diarize::ChunkLayout kLayout{.hop_samples = 40000,
                                   .last_chunk = diarize::LastChunk::kAligned,
                                   .max_chunks_per_block = 3};

std::vector<float> noise(std::int64_t num_samples, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> uniform(-0.5F, 0.5F);
  std::vector<float> samples(static_cast<std::size_t>(num_samples));
  for (float& sample : samples) sample = uniform(generator);
  return samples;
}

std::future<Diarization> submit(Engine& engine,
                                const std::vector<float>& samples,
                                std::size_t piece = 4001) {
  diarize::Session session = engine.open({});
  for (std::size_t at = 0; at < samples.size(); at += piece) {
    session.push(
        std::span(samples).subspan(at, std::min(piece, samples.size() - at)));
  }
  return session.finish();
}

EngineOptions options_of(int num_consumers, int max_batch_chunks) {
  EngineOptions options;
  options.num_consumers = num_consumers;
  options.max_batch_chunks = max_batch_chunks;
  return options;
}

std::unique_ptr<Engine> engine_of(const EngineOptions& options) {
  return std::make_unique<Engine>(std::make_shared<StandInNetworks>(),
                                  std::make_shared<StandInRecipe>(kLayout),
                                  options);
}

}  // namespace

TEST_SUITE("engine") {
  TEST_CASE("a recording comes out whole and in order") {
    const auto engine = engine_of(options_of(3, 4));
    const Diarization result = submit(*engine, noise(1000320, 1)).get();
    REQUIRE(result.turns.size() == 23);  // 22 regular chunks and an aligned one
    for (std::size_t chunk = 0; chunk < result.turns.size(); ++chunk) {
      CHECK(result.turns[chunk].onset == static_cast<double>(chunk));
    }
    CHECK(result.seconds == 62.52);
  }

  TEST_CASE("results do not depend on threads or batches or pieces") {
    std::vector<std::vector<float>> recordings;
    for (unsigned i = 0; i < 12; ++i) {
      recordings.push_back(noise(20000 + 55555 * i, i));
    }
    std::vector<diarize::Turns> expected;
    for (const auto& recording : recordings) {
      const auto alone = engine_of(options_of(1, 1));
      expected.push_back(submit(*alone, recording).get().turns);
    }
    for (const int num_consumers : {1, 2, 5}) {
      for (const int batch : {1, 7, 64}) {
        const auto engine = engine_of(options_of(num_consumers, batch));
        std::vector<std::future<Diarization>> results(recordings.size());
        {
          std::vector<std::jthread> pushers;
          for (std::size_t i = 0; i < recordings.size(); ++i) {
            pushers.emplace_back([&, i] {
              results[i] = submit(*engine, recordings[i], 1000 + 997 * i);
            });
          }
        }
        for (std::size_t i = 0; i < recordings.size(); ++i) {
          CHECK(results[i].get().turns == expected[i]);
        }
      }
    }
  }

  TEST_CASE("blocks of several recordings share a batch") {
    std::promise<void> gate;
    const auto networks =
        std::make_shared<StandInNetworks>(gate.get_future().share());
    EngineOptions options = options_of(1, 32);
    options.max_bytes_in_flight = std::size_t{1} << 30;  // all of them wait
    Engine engine(networks, std::make_shared<StandInRecipe>(kLayout), options);
    std::vector<std::future<Diarization>> results;
    for (unsigned i = 0; i < 40; ++i) {
      results.push_back(submit(engine, noise(300000, i)));
    }
    gate.set_value();
    for (auto& result : results) CHECK(result.get().turns.size() == 5);
    CHECK(networks->largest_batch() > kLayout.max_chunks_per_block);
    CHECK(networks->largest_batch() <= 32);
  }

  TEST_CASE("there is room for three batches of each consumer") {
    constexpr int kNumConsumers = 2;
    constexpr int kNumBlocks = 3 * kNumConsumers;
    std::promise<void> gate;
    Engine engine(std::make_shared<StandInNetworks>(gate.get_future().share()),
                  std::make_shared<StandInRecipe>(kLayout),
                  options_of(kNumConsumers, kLayout.max_chunks_per_block));
    diarize::Session session = engine.open({});
    // Nothing is taken out of the networks: only room can let it through.
    auto pushed = std::async(std::launch::async, [&] {
      session.push(noise(kNumBlocks * 3 * 40000 + diarize::kChunkSamples, 1));
    });
    const auto state = pushed.wait_for(std::chrono::seconds(60));
    CHECK(state == std::future_status::ready);
    gate.set_value();
    pushed.get();
    CHECK(session.finish().get().turns.size() == 3 * kNumBlocks + 1);
  }

  TEST_CASE("no more samples than the budget are taken in") {
    EngineOptions options = options_of(2, 3);
    options.max_bytes_in_flight = std::size_t{12} << 20;
    std::promise<void> gate;
    Engine engine(std::make_shared<StandInNetworks>(gate.get_future().share()),
                  std::make_shared<StandInRecipe>(kLayout), options);
    std::atomic<std::size_t> num_pushed = 0;
    std::atomic<std::size_t> num_turns = 0;
    std::vector<std::jthread> pushers;
    for (unsigned i = 0; i < 6; ++i) {
      pushers.emplace_back([&, i] {
        diarize::Session session = engine.open({});
        const std::vector<float> piece = noise(40000, i);
        for (int count = 0; count < 100; ++count) {
          session.push(piece);
          num_pushed += piece.size();
        }
        num_turns += session.finish().get().turns.size();
      });
    }
    // Until nothing moves any more; what comes later would be held up as well.
    for (std::size_t before = 1; before != num_pushed;) {
      before = num_pushed;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    CHECK(num_pushed > 0);
    CHECK(num_pushed * sizeof(float) <= *options.max_bytes_in_flight);
    gate.set_value();
    pushers.clear();
    CHECK(num_turns == 6 * 97);
  }

  TEST_CASE("a tiny memory budget slows down but loses nothing") {
    EngineOptions options = options_of(2, 8);
    options.max_bytes_in_flight = 1;
    const auto engine = engine_of(options);
    std::vector<std::jthread> pushers;
    std::atomic<int> num_turns = 0;
    for (unsigned i = 0; i < 4; ++i) {
      pushers.emplace_back([&, i] {
        num_turns += static_cast<int>(
            submit(*engine, noise(400000, i)).get().turns.size());
      });
    }
    pushers.clear();
    CHECK(num_turns == 4 * 7);
  }

  TEST_CASE("a failure reaches its recording") {
    const auto engine = engine_of(options_of(2, 1));
    std::vector<float> bad = noise(500000, 3);
    bad[250000] = StandInNetworks::kPoison;
    auto failed = submit(*engine, bad);
    auto good = submit(*engine, noise(500000, 4));
    CHECK_THROWS_WITH_AS(failed.get(), "poison", diarize::InputError);
    CHECK(good.get().turns.size() == 10);
  }

  TEST_CASE("a session that is dropped disturbs nobody") {
    const auto engine = engine_of(options_of(1, 4));
    {
      diarize::Session session = engine->open({});
      session.push(noise(900000, 5));
    }
    CHECK(submit(*engine, noise(160000, 6)).get().turns.size() == 1);
  }

  TEST_CASE("an empty recording has no turns") {
    const auto engine = engine_of(options_of(1, 1));
    CHECK(submit(*engine, {}).get().turns.empty());
  }

  TEST_CASE("the request of a session reaches the recipe") {
    const auto engine = engine_of(options_of(1, 1));
    diarize::SessionOptions options;
    options.request.num = 3;
    diarize::Session session = engine->open(options);
    session.push(noise(1000, 1));
    CHECK(session.finish().get().num_speakers == 3);
  }

  TEST_CASE("pushing after the end is a mistake of the caller") {
    const auto engine = engine_of(options_of(1, 1));
    diarize::Session session = engine->open({});
    auto result = session.finish();
    CHECK_THROWS_AS(session.push(noise(10, 1)), std::logic_error);
    CHECK_THROWS_AS((void)session.finish(), std::logic_error);
    CHECK(result.get().turns.empty());
  }

  TEST_CASE("options out of range are refused") {
    CHECK_THROWS_AS(engine_of(options_of(0, 1)), std::logic_error);
    CHECK_THROWS_AS(engine_of(options_of(1, 0)), std::logic_error);
  }

  TEST_CASE("stage times are added up where they are asked for") {
    EngineOptions options = options_of(1, 8);
    options.stage_times = std::make_shared<diarize::StageTimes>();
    const auto engine = engine_of(options);
    (void)submit(*engine, noise(300000, 1)).get();
    CHECK(options.stage_times->seconds(diarize::Stage::kClustering).size() ==
          1);
    CHECK_FALSE(
        options.stage_times->seconds(diarize::Stage::kSegmentation).empty());
  }

  TEST_CASE("a recording has times of its own where they are asked for") {
    const auto engine = engine_of(options_of(1, 8));
    diarize::SessionOptions options;
    options.stage_times = std::make_shared<diarize::StageTimes>();
    diarize::Session session = engine->open(options);
    session.push(noise(300000, 1));
    (void)session.finish().get();
    for (const auto stage :
         {diarize::Stage::kSegmentation, diarize::Stage::kEmbedding,
          diarize::Stage::kClustering}) {
      CHECK_FALSE(options.stage_times->seconds(stage).empty());
    }
    CHECK(options.stage_times->seconds(diarize::Stage::kWaitForWork).empty());
  }
}
