#include "core/clustering/cut_tree.h"

#include "core/clustering/centroid_linkage.h"
#include "core/clustering/training_rows.h"
#include "tests/core/pyannote_goldens.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace diarize::test {
namespace {

using Labels = std::vector<std::int32_t>;

// The same walk as it is defined, with recursion.
class PlainCut {
 public:
  PlainCut(const Dendrogram& tree, double threshold)
      : tree_(tree), threshold_(threshold), labels_(tree.size() + 1, -1) {
    visit(static_cast<std::int32_t>(2 * tree.size()));
  }
  [[nodiscard]] Labels labels() const { return labels_; }

 private:
  [[nodiscard]] std::int32_t num_points() const {
    return static_cast<std::int32_t>(labels_.size());
  }
  [[nodiscard]] const Merge& merge_of(std::int32_t cluster) const {
    return tree_[cluster - num_points()];
  }
  [[nodiscard]] double greatest(std::int32_t cluster) const {
    if (cluster < num_points()) return 0.0;
    const Merge& merge = merge_of(cluster);
    return std::max(
        {merge.distance, greatest(merge.first), greatest(merge.second)});
  }
  void label(std::int32_t cluster) {
    if (cluster < num_points()) {
      labels_[cluster] = next_;
      return;
    }
    label(merge_of(cluster).first);
    label(merge_of(cluster).second);
  }
  void visit(std::int32_t cluster) {
    if (greatest(cluster) <= threshold_) {
      label(cluster);
      ++next_;
      return;
    }
    const Merge& merge = merge_of(cluster);
    for (const std::int32_t child : {merge.first, merge.second}) {
      if (child >= num_points()) visit(child);
    }
    for (const std::int32_t child : {merge.first, merge.second}) {
      if (child < num_points()) labels_[child] = next_++;
    }
  }

  const Dendrogram& tree_;
  double threshold_;
  Labels labels_;
  std::int32_t next_ = 0;
};

}  // namespace

TEST_SUITE("cut_tree") {
  TEST_CASE("points beside a subtree are numbered after it") {
    // 1 and 2 are near; 0 joins them far away, then 3.
    const Dendrogram tree = {{1, 2, 2, 0.1}, {0, 4, 3, 5.0}, {3, 5, 4, 9.0}};
    CHECK(cut_tree(tree, 1.0) == Labels{1, 0, 0, 2});
  }

  TEST_CASE("of two subtrees the one made first is numbered first") {
    const Dendrogram tree = {{2, 3, 2, 0.1}, {0, 1, 2, 0.2}, {4, 5, 4, 3.0}};
    CHECK(cut_tree(tree, 1.0) == Labels{1, 1, 0, 0});
  }

  TEST_CASE("a far merge keeps a near one above it from being a cluster") {
    // The second merge is nearer than the first.
    const Dendrogram tree = {{0, 1, 2, 1.0}, {2, 3, 3, 0.9}};
    CHECK(cut_tree(tree, 0.95) == Labels{0, 1, 2});
    CHECK(cut_tree(tree, 1.0) == Labels{0, 0, 0});
  }

  TEST_CASE("a distance equal to the threshold is within it") {
    const Dendrogram tree = {{0, 1, 2, 0.5}};
    CHECK(cut_tree(tree, 0.5) == Labels{0, 0});
    CHECK(cut_tree(tree, 0.49) == Labels{0, 1});
  }

  TEST_CASE("a single point is cluster 0") {
    CHECK(cut_tree({}, 1.0) == Labels{0});
  }

  TEST_CASE("labels are those of the walk at every threshold") {
    std::mt19937 random(11);
    std::normal_distribution<float> normal;
    Array<float, 2> points({60, 3});
    for (float& value : points.values()) value = normal(random);
    const Dendrogram tree = centroid_linkage(points);
    for (const Merge& merge : tree) {
      CHECK(cut_tree(tree, merge.distance) ==
            PlainCut(tree, merge.distance).labels());
    }
  }

  TEST_CASE("a tree as deep as it has points does not overflow the stack") {
    constexpr std::int32_t kPoints = 300000;
    Dendrogram tree = {{0, 1, 2, 2.0}};
    for (std::int32_t k = 1; k + 1 < kPoints; ++k) {
      tree.push_back({k + 1, kPoints + k - 1, k + 2, 2.0});
    }
    const Labels labels = cut_tree(tree, 1.0);
    CHECK(labels[0] == 0);
    CHECK(labels[kPoints - 1] == kPoints - 1);
    CHECK(cut_tree(tree, 2.0) == Labels(kPoints, 0));
  }

  TEST_CASE("first clusters of real embeddings are the reference's") {
    constexpr double kThreshold = 0.6;
    const auto labels_of = [](const Capture& capture) {
      const auto rows = training_rows(capture.activity, capture.embeddings);
      return cut_tree(
          centroid_linkage(unit_rows(capture.embeddings.values, rows)),
          kThreshold);
    };
    for (const Capture& capture : findit_captures()) {
      CAPTURE(capture.name);
      CHECK(labels_of(capture) ==
            NpzFile(capture.folder / "ahc_init_labels.npy")
                .values<std::int32_t>("ahc_init_labels"));
    }
    for (const Capture& capture : speakrs_captures()) {
      if (capture.name != "pipeline") continue;
      CHECK(labels_of(capture) ==
            NpzFile(capture.folder / "pipeline_ahc_clusters.npy")
                .values<std::int32_t>("pipeline_ahc_clusters"));
    }
    for (const Capture& capture : synthetic_captures()) {
      CAPTURE(capture.name);
      const NpzFile golden(capture.folder / "result.npz");
      const auto rows = training_rows(capture.activity, capture.embeddings);
      // One that has too little to cluster lacks them.
      if (!golden.has("ahc_labels") || rows.size() < 2) continue;
      CHECK(labels_of(capture) == golden.values<std::int32_t>("ahc_labels"));
    }
  }
}

}  // namespace diarize::test
