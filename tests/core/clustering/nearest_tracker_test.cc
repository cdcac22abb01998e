#include "core/clustering/nearest_tracker.h"

#include "core/dot_products.h"
#include "tests/core/clustering/voices.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

namespace diarize {
namespace {

Centroids first_rows(const Array<double, 2>& vectors, std::size_t num) {
  Centroids centroids;
  for (std::size_t row = 0; row < num; ++row) {
    const auto value = vectors.row(row);
    centroids.push_back(
        {static_cast<std::int32_t>(row), 0, {value.begin(), value.end()}});
  }
  return centroids;
}

std::int32_t nearest(std::span<const double> vector,
                     const Centroids& centroids) {
  const Centroid* best = &centroids.front();
  for (const Centroid& centroid : centroids) {
    if (dot(vector, centroid.value) > dot(vector, best->value)) {
      best = &centroid;
    }
  }
  return best->id;
}

bool is_right(const NearestTracker& tracker, const Array<double, 2>& vectors,
              const Centroids& centroids) {
  for (std::size_t row = 0; row < vectors.size(0); ++row) {
    if (tracker.labels()[row] != nearest(vectors.row(row), centroids)) {
      return false;
    }
  }
  return true;
}

// Moves a centroid by `scale` an element, in any direction.
void shake(Centroid& centroid, double scale, std::mt19937& random) {
  std::normal_distribution<double> normal;
  for (double& value : centroid.value) value += scale * normal(random);
  normalize(centroid.value);
  ++centroid.version;
}

TEST_SUITE("nearest_tracker") {
  TEST_CASE("labels stay right while centroids move and come and go") {
    const test::Voices voices =
        test::make_voices({.num_vectors = 300, .dimension = 32});
    Centroids centroids = first_rows(voices.vectors, 40);
    NearestTracker tracker(rows_of(voices.vectors));
    std::mt19937 random(3);
    std::vector<std::int32_t> labels(300, -1);
    for (int step = 0; step < 60; ++step) {
      for (const auto& change : tracker.update(centroids)) {
        CHECK(labels[change.vector] == change.before);
        labels[change.vector] = change.after;
      }
      CHECK(std::ranges::equal(labels, tracker.labels()));
      CHECK(is_right(tracker, voices.vectors, centroids));
      // Some move a little and some far, one goes, and at times one comes.
      for (std::size_t i = step % 3; i < centroids.size(); i += 4) {
        const double scale = i % 2 == 0 ? 1e-6 : 0.05;
        shake(centroids[i], scale, random);
      }
      if (step % 2 == 0) centroids.erase(centroids.begin() + step % 7);
      if (step % 4 == 0) {
        const auto value = voices.vectors.row(100 + step);
        centroids.push_back({100 + step, 0, {value.begin(), value.end()}});
      }
    }
  }

  // What refining does.
  TEST_CASE(
      "labels stay right while some of many centroids move or become one") {
    const test::Voices voices =
        test::make_voices({.num_vectors = 500, .dimension = 32});
    Centroids centroids = first_rows(voices.vectors, 150);
    NearestTracker tracker(rows_of(voices.vectors));
    std::mt19937 random(5);
    std::int32_t next_id = 150;
    std::size_t num_changes = 0;
    for (int step = 0; step < 60; ++step) {
      num_changes += tracker.update(centroids).size();
      REQUIRE(is_right(tracker, voices.vectors, centroids));
      for (std::size_t i = 0; i < 3; ++i) {
        Centroid& centroid = centroids[random() % centroids.size()];
        shake(centroid, i == 0 ? 0.1 : 1e-4, random);
      }
      if (step % 3 == 0) centroids.erase(centroids.begin() + step % 40);
      if (step % 2 != 0) continue;
      const std::size_t gone = random() % (centroids.size() - 1);
      Centroid merged{next_id++, 0, centroids[gone].value};
      for (std::size_t i = 0; i < merged.value.size(); ++i) {
        merged.value[i] += centroids[gone + 1].value[i];
      }
      normalize(merged.value);
      const auto first = centroids.begin() + static_cast<std::ptrdiff_t>(gone);
      centroids.erase(first, first + 2);
      centroids.push_back(std::move(merged));
    }
    CHECK(num_changes > 300);
  }

  TEST_CASE("labels stay right while many small steps add up") {
    const test::Voices voices =
        test::make_voices({.num_vectors = 500, .dimension = 32});
    Centroids centroids = first_rows(voices.vectors, 60);
    NearestTracker tracker(rows_of(voices.vectors));
    tracker.update(centroids);
    std::size_t num_changes = 0;
    for (int step = 0; step < 1000; ++step) {
      num_changes += tracker.update(centroids).size();
      if (step % 20 == 0) {
        REQUIRE(is_right(tracker, voices.vectors, centroids));
      }
      for (Centroid& centroid : centroids) {
        const auto i = static_cast<std::size_t>(centroid.id) % 31;
        centroid.value[i] += 6e-4 * centroid.value[i + 1];
        centroid.value[i + 1] -= 6e-4 * centroid.value[i];
        normalize(centroid.value);
        ++centroid.version;
      }
    }
    CHECK(num_changes > 50);
  }

  TEST_CASE(
      "labels stay right down to one centroid, and with vectors of zeros") {
    Array<double, 2> vectors =
        test::make_voices({.num_vectors = 200, .dimension = 16}).vectors;
    std::ranges::fill(vectors.row(100), 0.0);
    Centroids centroids = first_rows(vectors, 9);
    centroids.push_back({9, 0, centroids[3].value});
    NearestTracker tracker(rows_of(vectors));
    while (!centroids.empty()) {
      tracker.update(centroids);
      REQUIRE(is_right(tracker, vectors, centroids));
      centroids.erase(centroids.begin());
      for (Centroid& centroid : centroids) {
        if (centroid.id % 3 != 0) continue;
        centroid.value[0] += 0.1;
        normalize(centroid.value);
        ++centroid.version;
      }
    }
    NearestTracker none((VectorList()));
    CHECK(none.update(first_rows(vectors, 2)).empty());
  }

  TEST_CASE("of many equal centroids the lowest is nearest") {
    const test::Voices voices =
        test::make_voices({.num_vectors = 3000, .dimension = 16});
    Centroids centroids = first_rows(voices.vectors, 30);
    for (std::size_t i = 3; i < 15; ++i)
      centroids[i].value = centroids[2].value;
    NearestTracker tracker(rows_of(voices.vectors));
    tracker.update(centroids);
    CHECK(is_right(tracker, voices.vectors, centroids));
    centroids.erase(centroids.begin() + 2);
    tracker.update(centroids);
    CHECK(is_right(tracker, voices.vectors, centroids));
  }

  TEST_CASE("labels stay right while many centroids come near") {
    const test::Voices voices =
        test::make_voices({.num_vectors = 500, .dimension = 16});
    Centroids centroids = first_rows(voices.vectors, 60);
    NearestTracker tracker(rows_of(voices.vectors));
    std::mt19937 random(7);
    for (int step = 0; step < 100; ++step) {
      tracker.update(centroids);
      REQUIRE(is_right(tracker, voices.vectors, centroids));
      for (std::size_t i = 0; i < 8; ++i) {
        Centroid& centroid = centroids[random() % centroids.size()];
        const auto value = voices.vectors.row(random() % 500);
        for (std::size_t k = 0; k < value.size(); ++k) {
          centroid.value[k] = 0.5 * centroid.value[k] + value[k];
        }
        normalize(centroid.value);
        ++centroid.version;
      }
    }
  }

  TEST_CASE("of equal centroids the one with the lowest id is nearest") {
    const Array<double, 2> vectors({2, 2}, {1.0, 0.0, 0.6, 0.8});
    Centroids centroids = first_rows(vectors, 1);
    centroids.push_back({1, 0, centroids[0].value});
    NearestTracker tracker(rows_of(vectors));
    CHECK(tracker.update(centroids).size() == 2);
    CHECK(tracker.labels()[0] == 0);
    CHECK(tracker.labels()[1] == 0);
    CHECK(tracker.update(centroids).empty());
  }
}

}  // namespace
}  // namespace diarize
