#include "core/nn/load_networks.h"

#include "core/cpu_level.h"
#include "core/engine/block_cutter.h"
#include "core/error.h"
#include "tests/nn/golden.h"
#include "tests/nn/network_weights.h"
#include "tests/nn/noise.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <thread>

namespace diarize::test {
namespace {

constexpr std::int64_t kHop = 40000;  // 2.5 s

std::shared_ptr<const Networks> random_networks(
    Precision precision = Precision::kFloat32) {
  return load_default_networks(weight_map(random_pyannet_weights(1)),
                               weight_map(random_campplus_weights(2)),
                               {.precision = precision});
}

std::vector<Block> blocks_of(std::span<const float> samples,
                             int max_chunks_per_block) {
  BlockCutter cutter({kHop, LastChunk::kAligned, max_chunks_per_block});
  std::vector<Block> blocks = cutter.push(samples);
  for (Block& block : cutter.finish()) blocks.push_back(std::move(block));
  return blocks;
}

std::vector<const Block*> pointers(const std::vector<Block>& blocks) {
  std::vector<const Block*> result;
  for (const Block& block : blocks) result.push_back(&block);
  return result;
}

EmbeddingJob piece(std::int32_t first_row, std::int32_t num_rows) {
  EmbeddingJob job;
  for (std::int32_t row = first_row; row < first_row + num_rows; ++row) {
    job.rows.push_back(row);
  }
  return job;
}

// All scores of some blocks, one after the other.
std::vector<float> scores_of(NetworkWorker& worker,
                             const std::vector<Block>& blocks) {
  std::vector<float> result;
  for (const SegmentationScores& scores : worker.segment(pointers(blocks))) {
    result.insert(result.end(), scores.values().begin(), scores.values().end());
  }
  return result;
}

}  // namespace

TEST_SUITE("load_networks") {
  TEST_CASE("what is not in the build is refused by name") {
    const auto load = [](const NetworkOptions& options) {
      return load_default_networks({}, {}, options);
    };
    CHECK_THROWS_WITH_AS((void)load({.device = "cuda"}),
                         doctest::Contains("device cuda"), FatalError);
    const CpuLevelLimit limit(CpuLevel::kAvx512);
    CHECK_THROWS_WITH_AS((void)load({.precision = Precision::kBfloat16}),
                         doctest::Contains("precision bf16"), FatalError);
    CHECK_THROWS_WITH_AS((void)load_networks({"Other", {}}, {"CAMPPlus", {}}),
                         doctest::Contains("known: PyanNet"), FatalError);
  }

  TEST_CASE("scores do not depend on how chunks are put into blocks") {
    for (const Precision precision : available_precisions()) {
      const auto networks = random_networks(precision);
      const auto worker = networks->make_worker();
      const std::vector<float> samples = noise(40 * kHop + 12345, 3, 0.1F);
      const std::vector<float> whole =
          scores_of(*worker, blocks_of(samples, 64));
      CHECK(whole.size() == 38 * kNumFrames * kNumClasses);
      for (const int chunks : {1, 3, 16}) {
        CHECK(scores_of(*worker, blocks_of(samples, chunks)) == whole);
      }
    }
  }

  TEST_CASE("scores do not depend on the other recordings of a batch") {
    const auto networks = random_networks();
    const auto worker = networks->make_worker();
    const std::vector<Block> mine =
        blocks_of(noise(kChunkSamples, 4, 0.1F), 32);
    const std::vector<Block> other = blocks_of(noise(12 * kHop, 5, 0.1F), 32);
    const auto alone = worker->segment(pointers(mine));
    const std::vector<const Block*> both = {&other[0], &mine[0]};
    const auto together = worker->segment(both);
    REQUIRE(together.size() == 2);
    CHECK(together[1] == alone[0]);
    CHECK(together[0] == worker->segment(pointers(other))[0]);
  }

  TEST_CASE("embeddings do not depend on the other pieces of a batch") {
    for (const Precision precision : available_precisions()) {
      const auto networks = random_networks(precision);
      const auto worker = networks->make_worker();
      CHECK(networks->embedding_dimension() == 192);
      const std::vector<Block> first =
          blocks_of(noise(kChunkSamples, 6, 0.1F), 32);
      const std::vector<Block> second = blocks_of(noise(9 * kHop, 7, 0.1F), 32);
      const std::vector<const Block*> both = {&first[0], &second[0]};
      std::vector<std::vector<EmbeddingJob>> jobs(2);
      for (std::int32_t i = 0; i < 20; ++i)
        jobs[0].push_back(piece(40 * i, 150));
      for (std::int32_t i = 0; i < 9; ++i) {
        jobs[1].push_back(piece(10 * i, 150));
        jobs[1].push_back(piece(20 * i, 20 + i));
      }
      const auto together = worker->embed(both, jobs);
      REQUIRE(together.size() == 2);
      for (std::size_t block = 0; block < 2; ++block) {
        REQUIRE(together[block].size(0) == jobs[block].size());
        for (std::size_t job = 0; job < jobs[block].size(); job += 3) {
          const std::vector<std::vector<EmbeddingJob>> one = {
              {jobs[block][job]}};
          const auto alone =
              worker->embed(std::span(both).subspan(block, 1), one);
          CHECK(std::ranges::equal(alone[0].row(0), together[block].row(job)));
        }
      }
    }
  }

  TEST_CASE("bfloat16 is near float32") {
    constexpr double kEmbeddings = 0.03;  // of their length; 8 bits, 50 layers
    const std::vector<Block> blocks =
        blocks_of(noise(kChunkSamples, 6, 0.1F), 32);
    const std::vector<std::vector<EmbeddingJob>> jobs = {
        {piece(0, 150), piece(300, 40), piece(700, 280)}};
    const auto exact = random_networks()->make_worker();
    const auto embeddings = exact->embed(pointers(blocks), jobs)[0];
    for (const Precision precision : available_precisions()) {
      if (precision == Precision::kFloat32) continue;
      const auto worker = random_networks(precision)->make_worker();
      const auto near = worker->embed(pointers(blocks), jobs)[0];
      CHECK(near != embeddings);
      for (std::size_t job = 0; job < jobs[0].size(); ++job) {
        double difference = 0.0;
        double length = 0.0;
        for (std::size_t i = 0; i < near.size(1); ++i) {
          const double a = embeddings(job, i);
          difference += (a - near(job, i)) * (a - near(job, i));
          length += a * a;
        }
        CHECK(std::sqrt(difference / length) < kEmbeddings);
      }
    }
  }

  TEST_CASE("a piece has the same embedding from every block that holds it") {
    const auto networks = random_networks();
    const auto worker = networks->make_worker();
    const std::vector<Block> blocks = blocks_of(noise(12 * kHop, 8, 0.1F), 3);
    REQUIRE(blocks.size() > 2);
    const std::int32_t row =
        static_cast<std::int32_t>(blocks[1].first_sample / 160) + 5;
    const std::vector<std::vector<EmbeddingJob>> jobs = {{piece(row, 151)},
                                                         {piece(row, 151)}};
    const std::vector<const Block*> two = {&blocks[0], &blocks[1]};
    const auto embeddings = worker->embed(two, jobs);
    CHECK(embeddings[0] == embeddings[1]);
  }

  TEST_CASE("workers of two threads give the same bits") {
    const auto networks = random_networks();
    const std::vector<Block> blocks = blocks_of(noise(8 * kHop, 9, 0.1F), 32);
    std::vector<std::vector<float>> results(2);
    std::vector<std::thread> threads;
    for (std::vector<float>& result : results) {
      threads.emplace_back(
          [&] { result = scores_of(*networks->make_worker(), blocks); });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(results[0] == scores_of(*networks->make_worker(), blocks));
    CHECK(results[0] == results[1]);
  }

  TEST_CASE("chunks and rows outside their block are a logic error") {
    const auto worker = random_networks()->make_worker();
    std::vector<Block> blocks = blocks_of(noise(kChunkSamples, 10, 0.1F), 32);
    const std::vector<std::vector<EmbeddingJob>> late = {{piece(990, 20)}};
    CHECK_THROWS_AS((void)worker->embed(pointers(blocks), late),
                    std::logic_error);
    const std::vector<std::vector<EmbeddingJob>> tiny = {{piece(0, 2)}};
    CHECK_THROWS_AS((void)worker->embed(pointers(blocks), tiny),
                    std::logic_error);
    blocks[0].chunk_starts[0] = 160;
    CHECK_THROWS_AS((void)worker->segment(pointers(blocks)), std::logic_error);
  }

  TEST_CASE("recordings have the golden scores and embeddings") {
    for (const std::string recording :
         {"pyannote_sample", "ami_EN2002a", "falcon_test"}) {
      auto segmentation = trained_weights("pytorch_model.bin");
      auto embedding = trained_weights("campplus_cn_en_common.pt");
      const auto samples = recording_samples(recording + ".wav");
      const auto golden = golden_file(recording, "segmentation");
      const auto pieces = golden_file(recording, "pieces");
      if (!segmentation || !embedding || !samples || !golden || !pieces) return;
      const auto worker =
          load_default_networks(std::move(*segmentation), std::move(*embedding))
              ->make_worker();
      const std::vector<Block> blocks = blocks_of(*samples, 64);
      REQUIRE(blocks.size() == 1);
      const auto largest = [](std::span<const float> a,
                              std::span<const float> b) {
        double result = 0.0;
        for (std::size_t i = 0; i < a.size(); ++i) {
          result = std::max<double>(result, std::abs(a[i] - b[i]));
        }
        return result;
      };
      const auto scores = golden->array<float, 3>("logp");
      const auto found = worker->segment(pointers(blocks));
      REQUIRE(found[0].shape() == scores.shape());
      CHECK(largest(found[0].values(), scores.values()) < 1e-3);

      const auto rows = pieces->values<std::int32_t>("rows");
      const auto offsets = pieces->values<std::int64_t>("row_offsets");
      std::vector<std::vector<EmbeddingJob>> jobs(1);
      for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
        jobs[0].emplace_back();
        jobs[0].back().rows.assign(rows.begin() + offsets[i],
                                   rows.begin() + offsets[i + 1]);
      }
      const auto expected = pieces->array<float, 2>("embeddings");
      const auto embeddings = worker->embed(pointers(blocks), jobs);
      REQUIRE(embeddings[0].shape() == expected.shape());
      CHECK(largest(embeddings[0].values(), expected.values()) < 1e-3);
    }
  }
}

}  // namespace diarize::test
