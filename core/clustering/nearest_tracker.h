#pragma once

#include "core/clustering/product_tile.h"
#include "core/clustering/vector_list.h"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace diarize {

// A centroid of length one that changes over time.
struct Centroid {
  std::int32_t id = 0;
  std::int32_t version = 0;  // grows whenever the value changes
  std::vector<double> value;
};

// Ascending by id.
using Centroids = std::vector<Centroid>;

// Knows which of a changing set of centroids each of many vectors is nearest
// to, and looks only at vectors for which that may have changed.
//
// For each vector there is a lower bound of its product with its own centroid
// and an upper bound of those with all others (Hamerly 2010, "Making k-means
// even faster"). A centroid that moved by d changes every product by at most
// d. Where that is little the bounds take it; else the products with this
// centroid are taken in single precision, whose error the bounds take. Only
// vectors whose bounds cross are compared with all centroids, in double
// precision, so that the labels are exactly those of comparing all: of equal
// centroids the one with the lowest id.
class NearestTracker {
 public:
  struct Change {
    std::size_t vector = 0;
    std::int32_t before = -1;  // id, -1 before the first update
    std::int32_t after = -1;
  };

  // Keeps the list; the values must outlive this. Vectors of length one.
  explicit NearestTracker(VectorList vectors);

  // Brings the labels up to date with the centroids, of which there is at
  // least one, and returns those that changed, by vector. Cost: for each
  // centroid that moved a product with every vector, for each vector whose
  // bounds crossed one with every centroid.
  std::vector<Change> update(const Centroids& centroids);

  // Id of the centroid nearest to each vector.
  [[nodiscard]] std::span<const std::int32_t> labels() const { return labels_; }

 private:
  struct Seen {
    std::int32_t version = -1;
    std::vector<double> value;
    double drift = 0.0;  // of the last update, if it was small
    bool present = false;
  };

  [[nodiscard]] std::vector<const Centroid*> moved(const Centroids& centroids);
  void take_drift();
  void take_products(const std::vector<const Centroid*>& centroids);
  void take_tile(const std::vector<const Centroid*>& centroids,
                 std::size_t first_row, std::size_t panel,
                 const float* products);
  void compare(std::size_t vector, const Centroids& centroids);

  VectorList vectors_;
  PackedVectors packed_;
  std::vector<std::int32_t> labels_;
  std::vector<double> own_;    // not above the product with the own centroid
  std::vector<double> other_;  // not below that with any other
  bool anew_ = false;          // all centroids are taken, none is known yet
  std::unordered_map<std::int32_t, Seen> seen_;
};

}  // namespace diarize
