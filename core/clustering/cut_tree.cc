#include "core/clustering/cut_tree.h"

#include <algorithm>
#include <cstddef>

namespace diarize {
namespace {

// Numbers the clusters of one tree.
class Cutter {
 public:
  Cutter(const Dendrogram& tree, double threshold)
      : tree_(tree),
        num_points_(static_cast<std::int32_t>(tree.size()) + 1),
        threshold_(threshold),
        labels_(tree.size() + 1) {
    for (const Merge& merge : tree_) {
      greatest_.push_back(std::max(
          {merge.distance, greatest(merge.first), greatest(merge.second)}));
    }
  }

  std::vector<std::int32_t> run() {
    if (tree_.empty()) return labels_;
    // A merge stays on the stack while its subtrees are walked; what is left
    // to do of it is its stage.
    std::vector<Visit> stack = {{last_cluster(), 0}};
    while (!stack.empty()) {
      const std::int32_t child = advance(stack.back());
      if (child >= 0) {
        stack.push_back({child, 0});
      } else if (stack.back().stage > 2) {
        stack.pop_back();
      }
    }
    return labels_;
  }

 private:
  struct Visit {
    std::int32_t cluster;
    int stage;
  };

  [[nodiscard]] bool is_point(std::int32_t cluster) const {
    return cluster < num_points_;
  }
  [[nodiscard]] const Merge& merge_of(std::int32_t cluster) const {
    return tree_[cluster - num_points_];
  }
  [[nodiscard]] std::int32_t last_cluster() const {
    return num_points_ + static_cast<std::int32_t>(tree_.size()) - 1;
  }
  [[nodiscard]] double greatest(std::int32_t cluster) const {
    return is_point(cluster) ? 0.0 : greatest_[cluster - num_points_];
  }

  // Does the next stage of a merge; returns the child merge to walk first, or
  // -1. Stages: 0 and 1 are the subtrees, 2 the points beside them.
  std::int32_t advance(Visit& visit) {
    const Merge& merge = merge_of(visit.cluster);
    if (visit.stage == 0 && greatest(visit.cluster) <= threshold_) {
      label_points_below(visit.cluster);
      visit.stage = 3;
      return -1;
    }
    const int stage = visit.stage++;
    if (stage == 2) {
      if (is_point(merge.first)) labels_[merge.first] = next_++;
      if (is_point(merge.second)) labels_[merge.second] = next_++;
      return -1;
    }
    const std::int32_t child = stage == 0 ? merge.first : merge.second;
    return is_point(child) ? -1 : child;
  }

  void label_points_below(std::int32_t root) {
    std::vector<std::int32_t> stack = {root};
    while (!stack.empty()) {
      const std::int32_t cluster = stack.back();
      stack.pop_back();
      if (is_point(cluster)) {
        labels_[cluster] = next_;
      } else {
        stack.push_back(merge_of(cluster).first);
        stack.push_back(merge_of(cluster).second);
      }
    }
    ++next_;
  }

  const Dendrogram& tree_;
  std::int32_t num_points_;
  double threshold_;
  std::vector<double> greatest_;  // (num_merges) M
  std::vector<std::int32_t> labels_;
  std::int32_t next_ = 0;
};

}  // namespace

std::vector<std::int32_t> cut_tree(const Dendrogram& tree, double threshold) {
  return Cutter(tree, threshold).run();
}

}  // namespace diarize
