#include "core/nn/wespeaker.h"

#include "core/error.h"
#include "core/nn/masked_pooling.h"
#include "io/checkpoint.h"
#include "io/npz.h"
#include "tests/nn/golden.h"
#include "tests/support/shared_data.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace {

using diarize::Array;
using diarize::Block;
using diarize::EmbeddingJob;
using diarize::FrameSet;
using diarize::nn::trunk_span;
using diarize::nn::WeSpeaker;

// Of the largest value; two CPU kernels differ by about 1e-6.
constexpr double kTrunkTolerance = 1e-4;
// Of the norm of an embedding; 3e-5 is expected.
constexpr double kEmbeddingTolerance = 1e-4;
// Of near-silent bins, log energies.
constexpr double kFeatureTolerance = 1.2e-3;

constexpr const char* kGolden = "goldens/pyannote_synthetic/community1/";

std::shared_ptr<const WeSpeaker> load(
    diarize::Precision precision = diarize::Precision::kFloat32) {
  const auto path = diarize::test::checkout_data(
      ".deps/synthetic/community1/embedding/pytorch_model.bin");
  if (!path) return nullptr;
  return std::make_shared<WeSpeaker>(diarize::read_checkpoint(*path).weights,
                                     precision);
}

Block block_of(std::vector<float> samples, std::int64_t first_chunk,
               std::int64_t num_chunks) {
  Block block;
  block.first_chunk = first_chunk;
  block.first_sample = first_chunk * diarize::kSampleRate;
  for (std::int64_t chunk = 0; chunk < num_chunks; ++chunk) {
    block.chunk_starts.push_back(block.first_sample +
                                 chunk * diarize::kSampleRate);
  }
  const std::int64_t end = block.chunk_starts.back() + diarize::kChunkSamples;
  samples.resize(static_cast<std::size_t>(end), 0.0F);
  block.samples.assign(samples.begin() + block.first_sample, samples.end());
  return block;
}

// The reference's mask of a local speaker: where it is alone, if that is more
// than two frames, else where it is active.
FrameSet mask_of(const Array<double, 3>& activity, std::size_t chunk,
                 std::size_t speaker) {
  FrameSet active;
  FrameSet alone;
  for (std::size_t frame = 0; frame < diarize::kNumFrames; ++frame) {
    const double sum = activity(chunk, frame, 0) + activity(chunk, frame, 1) +
                       activity(chunk, frame, 2);
    active[frame] = activity(chunk, frame, speaker) > 0;
    alone[frame] = active[frame] && sum < 2;
  }
  return alone.count() > 2 ? alone : active;
}

std::vector<EmbeddingJob> jobs_of(const Array<double, 3>& activity,
                                  std::int64_t first_chunk,
                                  std::int64_t num_chunks) {
  std::vector<EmbeddingJob> jobs;
  for (std::int64_t chunk = first_chunk; chunk < first_chunk + num_chunks;
       ++chunk) {
    for (std::int32_t speaker = 0; speaker < 3; ++speaker) {
      EmbeddingJob job;
      job.source.chunk = static_cast<std::int32_t>(chunk);
      job.source.speaker = speaker;
      job.mask = mask_of(activity, static_cast<std::size_t>(chunk),
                         static_cast<std::size_t>(speaker));
      jobs.push_back(job);
    }
  }
  return jobs;
}

Array<float, 2> embed(const WeSpeaker& network, const Block& block,
                      const std::vector<EmbeddingJob>& jobs) {
  const std::vector<const Block*> blocks = {&block};
  const std::vector<std::vector<EmbeddingJob>> all = {jobs};
  return std::move(network.make_worker()->embed(blocks, all).front());
}

}  // namespace

TEST_SUITE("wespeaker") {
  TEST_CASE("the span of a few frames reaches 112 rows further") {
    const auto span = trunk_span(50, 60);
    CHECK(span.first_frame == 36);
    CHECK(span.end_frame == 75);
    CHECK(span.first_row == 288);
    CHECK(span.end_row == 600);
  }

  TEST_CASE("the span ends with the chunk") {
    const auto span = trunk_span(3, 124);
    CHECK(span.first_row == 0);
    CHECK(span.end_frame == diarize::nn::kTrunkFrames);
    CHECK(span.end_row == diarize::kChunkFeatures);
  }

  TEST_CASE("features and trunk of a chunk equal the reference") {
    const auto network = load();
    const auto golden = diarize::test::shared_data(
        std::string(kGolden) + "pyannote_sample/layers_chunk0.npz");
    const auto audio = diarize::test::recording_samples("pyannote_sample.wav");
    if (!network || !golden || !audio) return;
    const diarize::NpzFile file(*golden);
    const auto expected_rows = file.array<double, 2>("fbank_every4");
    const auto expected_trunk = file.array<double, 3>("trunk_every5");

    const Block block = block_of(*audio, 0, 1);
    const auto rows = network->features()(block.samples);
    const at::Tensor input =
        WeSpeaker::chunk_input(rows, 0, trunk_span(0, 124));
    double worst = 0.0;
    for (std::int64_t row = 0; row < 250; ++row) {
      for (std::int64_t bin = 0; bin < 80; ++bin) {
        worst = std::max(worst,
                         std::abs(input.data_ptr<float>()[4 * row * 80 + bin] -
                                  expected_rows(row, bin)));
      }
    }
    CHECK(worst < kFeatureTolerance);

    const at::Tensor trunk = network->trunk(input);
    double largest = 0.0;
    worst = 0.0;
    for (std::int64_t channel = 0; channel < 256; ++channel) {
      for (std::int64_t row = 0; row < 10; ++row) {
        for (std::int64_t column = 0; column < 25; ++column) {
          const double expected = expected_trunk(channel, row, column);
          const double found =
              trunk.data_ptr<float>()[(row * 125 + 5 * column) * 256 + channel];
          largest = std::max(largest, std::abs(expected));
          worst = std::max(worst, std::abs(found - expected));
        }
      }
    }
    CHECK(worst < kTrunkTolerance * largest);
  }

  TEST_CASE("embeddings equal the reference for every local speaker") {
    const auto network = load();
    const auto golden = diarize::test::shared_data(std::string(kGolden) +
                                                   "falcon_test/front.npz");
    const auto audio = diarize::test::recording_samples("falcon_test.wav");
    if (!network || !golden || !audio) return;
    const diarize::NpzFile file(*golden);
    const auto activity = file.array<double, 3>("activity");
    const auto expected = file.array<double, 3>("embeddings");
    const auto num_chunks = static_cast<std::int64_t>(activity.size(0));
    const Block block = block_of(*audio, 0, num_chunks);
    const auto jobs = jobs_of(activity, 0, num_chunks);
    const auto found = embed(*network, block, jobs);
    for (std::size_t job = 0; job < jobs.size(); ++job) {
      double difference = 0.0;
      double norm = 0.0;
      for (std::size_t i = 0; i < 256; ++i) {
        const double value = expected(job / 3, job % 3, i);
        norm += value * value;
        difference += (found(job, i) - value) * (found(job, i) - value);
      }
      CHECK(std::sqrt(difference) < kEmbeddingTolerance * std::sqrt(norm));
    }
  }

  TEST_CASE("an embedding does not depend on the block it is computed in") {
    const auto network = load();
    const auto golden = diarize::test::shared_data(std::string(kGolden) +
                                                   "ami_EN2002a/front.npz");
    const auto audio = diarize::test::recording_samples("ami_EN2002a.wav");
    if (!network || !golden || !audio) return;
    const auto activity =
        diarize::NpzFile(*golden).array<double, 3>("activity");
    const auto samples = *audio;
    const auto together =
        embed(*network, block_of(samples, 0, 4), jobs_of(activity, 0, 4));
    const auto alone =
        embed(*network, block_of(samples, 2, 1), jobs_of(activity, 2, 1));
    for (std::size_t speaker = 0; speaker < 3; ++speaker) {
      const auto first = together.row(6 + speaker);
      const auto second = alone.row(speaker);
      CHECK(std::equal(first.begin(), first.end(), second.begin()));
    }
  }

  TEST_CASE("a trunk of bfloat16 is near the one of float32") {
    // Of the norm of an embedding: roundings of 2^-9 through 34 layers make
    // 0.04, more where few frames are pooled.
    constexpr double kBfloat16Tolerance = 0.2;
    if (diarize::available_precisions().back() !=
        diarize::Precision::kBfloat16) {
      MESSAGE("skipped: no bfloat16 here");
      return;
    }
    const auto exact = load();
    const auto network = load(diarize::Precision::kBfloat16);
    const auto golden = diarize::test::shared_data(std::string(kGolden) +
                                                   "ami_EN2002a/front.npz");
    const auto audio = diarize::test::recording_samples("ami_EN2002a.wav");
    if (!exact || !golden || !audio) return;
    const auto activity =
        diarize::NpzFile(*golden).array<double, 3>("activity");
    const Block block = block_of(*audio, 0, 4);
    const auto jobs = jobs_of(activity, 0, 4);
    const auto expected = embed(*exact, block, jobs);
    const auto found = embed(*network, block, jobs);
    for (std::size_t job = 0; job < jobs.size(); ++job) {
      double difference = 0.0;
      double norm = 0.0;
      for (std::size_t i = 0; i < 256; ++i) {
        difference += std::pow(found(job, i) - expected(job, i), 2.0);
        norm += std::pow(expected(job, i), 2.0);
      }
      CHECK(std::sqrt(difference) < kBfloat16Tolerance * std::sqrt(norm));
    }
    const auto alone =
        embed(*network, block_of(*audio, 2, 1), jobs_of(activity, 2, 1));
    for (std::size_t speaker = 0; speaker < 3; ++speaker) {
      const auto first = found.row(6 + speaker);
      CHECK(std::ranges::equal(first, alone.row(speaker)));
    }
  }

  TEST_CASE("one pass over a block gives nearly the voices of its chunks") {
    // Cosine of the embeddings, where a second or more is pooled: other means
    // are subtracted and no chunk ends in zeros.
    constexpr double kLeastCosine = 0.8;
    const auto exact = load();
    const auto path = diarize::test::checkout_data(
        ".deps/synthetic/community1/embedding/pytorch_model.bin");
    const auto golden = diarize::test::shared_data(std::string(kGolden) +
                                                   "ami_EN2002a/front.npz");
    const auto audio = diarize::test::recording_samples("ami_EN2002a.wav");
    if (!exact || !golden || !audio) return;
    const WeSpeaker together(diarize::read_checkpoint(*path).weights,
                             diarize::Precision::kFloat32,
                             diarize::TrunkRun::kBlock);
    const auto activity =
        diarize::NpzFile(*golden).array<double, 3>("activity");
    const Block block = block_of(*audio, 0, 3);
    const auto jobs = jobs_of(activity, 0, 3);
    const auto expected = embed(*exact, block, jobs);
    const auto found = embed(together, block, jobs);
    int num_compared = 0;
    for (std::size_t job = 0; job < jobs.size(); ++job) {
      if (jobs[job].mask.count() < 60) continue;
      double product = 0.0;
      double squares = 0.0;
      double expected_squares = 0.0;
      for (std::size_t i = 0; i < 256; ++i) {
        product += double{found(job, i)} * expected(job, i);
        squares += std::pow(found(job, i), 2.0);
        expected_squares += std::pow(expected(job, i), 2.0);
      }
      CHECK(product > kLeastCosine * std::sqrt(squares * expected_squares));
      ++num_compared;
    }
    CHECK(num_compared > 0);

    // A block that is one chunk, all of it selected, is run alike.
    EmbeddingJob whole;
    whole.mask.set();
    const Block chunk = block_of(*audio, 0, 1);
    const auto first = embed(*exact, chunk, {whole});
    const auto second = embed(together, chunk, {whole});
    CHECK(std::ranges::equal(first.row(0), second.row(0)));
  }

  TEST_CASE("running the trunk over a span changes no selected frame") {
    const auto network = load();
    if (!network) return;
    Array<float, 2> rows({diarize::kChunkFeatures, 80});
    for (std::size_t i = 0; i < rows.values().size(); ++i) {
      rows.values()[i] = std::sin(static_cast<float>(i * i % 1009));
    }
    const at::Tensor whole =
        network->trunk(WeSpeaker::chunk_input(rows, 0, trunk_span(0, 124)));
    const auto span = trunk_span(40, 59);
    const at::Tensor part =
        network->trunk(WeSpeaker::chunk_input(rows, 0, span));
    double largest = 0.0;
    double worst = 0.0;
    for (std::int64_t row = 0; row < 10; ++row) {
      for (std::int64_t frame = 40; frame < 60; ++frame) {
        for (std::int64_t channel = 0; channel < 256; ++channel) {
          const double expected =
              whole.data_ptr<float>()[(row * 125 + frame) * 256 + channel];
          const double found = part.data_ptr<
              float>()[(row * part.size(1) + frame - span.first_frame) * 256 +
                       channel];
          largest = std::max(largest, std::abs(expected));
          worst = std::max(worst, std::abs(found - expected));
        }
      }
    }
    REQUIRE(largest > 0.0);
    CHECK(worst < kEmbeddingTolerance * largest);
  }

  TEST_CASE("weights of another network are refused by name") {
    diarize::WeightMap weights;
    weights.insert("resnet.conv1.weight", {{1}, {0.0F}});
    CHECK_THROWS_AS(WeSpeaker{std::move(weights)}, diarize::FatalError);
  }
}
