#pragma once

#include "core/clustering/product_tile.h"
#include "core/clustering/vector_list.h"

#include <array>
#include <cstdint>
#include <span>
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
// For each vector there is a lower bound of its product with its own centroid,
// an upper bound of those with all others (Hamerly 2010, "Making k-means even
// faster"), and a short list of others with an upper bound of those with all
// that are not on it (after Ding et al. 2015, "Yinyang k-means", whose groups
// are fixed). A centroid that moved by d changes every product by at most d.
// Where that is little the bounds take it; else the products with this
// centroid are taken in single precision, whose error the bounds take. Vectors
// whose bounds cross are compared with the centroids of their list, and with
// all only where none of these is above the bound of the rest. What decides is
// in double precision, so that the labels are exactly those of comparing all:
// of equal centroids the one with the lowest id.
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
  // bounds crossed some, at times one with every centroid.
  std::vector<Change> update(const Centroids& centroids);

  // Id of the centroid nearest to each vector.
  [[nodiscard]] std::span<const std::int32_t> labels() const { return labels_; }

 private:
  static constexpr std::size_t kMostListed = 12;

  // The centroid with an id, as it was last.
  struct Seen {
    bool present = false;
    std::int32_t version = -1;
    std::vector<double> value;
    double drift = 0.0;  // of the last update, if it was small
  };

  // What is known of one vector.
  struct Known {
    std::int32_t label = -1;  // id of its own centroid, -1 if none is yet
    float rest = 0.0F;   // not below that with any other that is not listed
    double own = 0.0;    // not above the product with the own centroid
    double other = 0.0;  // not below that with any other
  };

  // Ids of centroids other than the own, -1 where there is none.
  using Listed = std::array<std::int32_t, kMostListed>;

  class Ranking;

  void take_row(const float* products, std::int32_t id, std::size_t begin,
                std::size_t end);
  [[nodiscard]] std::vector<const Centroid*> moved(const Centroids& centroids);
  void take_drift();
  [[nodiscard]] std::vector<std::size_t> crossed() const;
  void take_products(const std::vector<const Centroid*>& centroids);
  [[nodiscard]] bool settle(std::size_t vector);
  [[nodiscard]] std::vector<std::size_t> unsettled(
      std::vector<std::size_t> vectors);
  void set(std::size_t vector, const Ranking& ranking, double error);
  void compare(const std::vector<std::size_t>& vectors,
               const PackedVectors& packed,
               const std::vector<const Centroid*>& centroids);
  void compare_some(const std::vector<std::size_t>& vectors,
                    const std::vector<const Centroid*>& centroids);
  void compare_exactly(const std::vector<std::size_t>& vectors,
                       const std::vector<const Centroid*>& centroids);

  VectorList vectors_;
  PackedVectors packed_;
  std::vector<Known> known_;          // (num_vectors)
  std::vector<Listed> listed_;        // (num_vectors)
  std::vector<std::int32_t> labels_;  // (num_vectors)
  std::vector<Seen> seen_;            // by id
};

}  // namespace diarize
