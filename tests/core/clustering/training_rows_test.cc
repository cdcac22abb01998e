#include "core/clustering/training_rows.h"

#include "tests/core/pyannote_goldens.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace diarize::test {
namespace {

// One chunk in which local speaker 0 is alone for some frames.
LocalActivity alone_for(int num_frames) {
  LocalActivity activity;
  activity.chunk_starts = {0};
  activity.active.resize(1);
  for (int frame = 0; frame < num_frames; ++frame) {
    activity.active[0][0][frame] = true;
  }
  return activity;
}

Embeddings one_embedding() {
  return {Array<float, 2>({1, 4}, 1.0F), {{0, 0, -1, 0}}};
}

}  // namespace

TEST_SUITE("training_rows") {
  TEST_CASE("a fifth of the frames alone is enough") {
    CHECK(training_rows(alone_for(118), one_embedding()).size() == 1);
    CHECK(training_rows(alone_for(117), one_embedding()).empty());
  }

  TEST_CASE("frames with another speaker do not count") {
    LocalActivity activity = alone_for(118);
    activity.active[0][1][5] = true;
    CHECK(training_rows(activity, one_embedding()).empty());
  }

  TEST_CASE("embeddings that are not numbers are left out") {
    Embeddings embeddings = one_embedding();
    embeddings.values(0, 2) = std::numeric_limits<float>::quiet_NaN();
    CHECK(training_rows(alone_for(589), embeddings).empty());
  }

  TEST_CASE("rows of real recordings are the reference's") {
    const auto check = [](const Capture& capture,
                          const std::vector<std::int32_t>& chunks,
                          const std::vector<std::int32_t>& speakers) {
      CAPTURE(capture.name);
      const auto rows = training_rows(capture.activity, capture.embeddings);
      REQUIRE(rows.size() == chunks.size());
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const EmbeddingSource& source = capture.embeddings.sources[rows[i]];
        CHECK(source.chunk == chunks[i]);
        CHECK(source.speaker == speakers[i]);
      }
    };
    for (const Capture& capture : findit_captures()) {
      const NpzFile golden(capture.folder / "plda_embeddings.npz");
      check(capture, golden.values<std::int32_t>("train_chunk_idx"),
            golden.values<std::int32_t>("train_speaker_idx"));
    }
    for (const Capture& capture : speakrs_captures()) {
      if (capture.name != "pipeline") continue;
      const auto values = [&](const std::string& name) {
        return NpzFile(capture.folder / (name + ".npy"))
            .values<std::int32_t>(name);
      };
      check(capture, values("pipeline_train_chunk_idx"),
            values("pipeline_train_speaker_idx"));
    }
  }

  TEST_CASE("unit rows are the rows by their norms") {
    Array<float, 2> values({3, 300});
    for (std::size_t i = 0; i < 900; ++i) {
      values.values()[i] = static_cast<float>(std::sin(1.0 + 0.7 * i));
    }
    const std::vector<std::size_t> rows = {2, 0};
    const Array<float, 2> unit = unit_rows(values, rows);
    for (std::size_t i = 0; i < 2; ++i) {
      double norm = 0.0;
      for (const float value : values.row(rows[i])) norm += value * value;
      for (std::size_t d = 0; d < 300; ++d) {
        CHECK(unit(i, d) ==
              doctest::Approx(values(rows[i], d) / std::sqrt(norm)));
      }
    }
  }

  TEST_CASE("norms are rounded as numpy rounds them") {
    // numpy 2.4.6: x / np.linalg.norm(x, axis=1) of 256 values i % 37 * 0.1f +
    // 0.3f.
    Array<float, 2> values({1, 256});
    for (std::size_t i = 0; i < 256; ++i) {
      values(0, i) = static_cast<float>(i % 37) * 0.1F + 0.3F;
    }
    const std::vector<std::size_t> rows = {0};
    const Array<float, 2> unit = unit_rows(values, rows);
    CHECK(unit(0, 0) == 0x1.07486c0000000p-7F);
    CHECK(unit(0, 1) == 0x1.5f0b3c0000000p-7F);
    CHECK(unit(0, 36) == 0x1.abd5b00000000p-4F);
    CHECK(unit(0, 255) == 0x1.8aeca20000000p-4F);
  }

  TEST_CASE("means are taken by cluster") {
    const Array<float, 2> values({3, 2}, {1.0F, 2.0F, 3.0F, 4.0F, 8.0F, 9.0F});
    const std::vector<std::size_t> rows = {0, 1, 2};
    const std::vector<std::int32_t> labels = {2, 2, 0};
    const Array<double, 2> means = cluster_means(values, rows, labels, 3);
    CHECK(means(2, 0) == 2.0);
    CHECK(means(2, 1) == 3.0);
    CHECK(means(0, 1) == 9.0);
    CHECK(std::isnan(means(1, 0)));
  }
}

}  // namespace diarize::test
