#include "core/clustering/kmeans.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace diarize::test {
namespace {

// The generator of "Numerical Recipes", in [-0.5, 0.5).
class Numbers {
 public:
  explicit Numbers(std::uint32_t seed) : state_(seed) {}

  double next() {
    state_ = state_ * 1664525U + 1013904223U;
    return static_cast<double>(state_ >> 8) / 16777216.0 - 0.5;
  }

 private:
  std::uint32_t state_;
};

// Points around some centres in turn.
Array<float, 2> grouped_points(std::size_t n, std::size_t dimension,
                               std::size_t num_groups, double spread,
                               std::uint32_t seed) {
  Numbers numbers(seed);
  Array<double, 2> centres({num_groups, dimension});
  for (double& value : centres.values()) value = numbers.next();
  Array<float, 2> points({n, dimension});
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t d = 0; d < dimension; ++d) {
      points(i, d) = static_cast<float>(centres(i % num_groups, d) +
                                        spread * numbers.next());
    }
  }
  return points;
}

// Labels of scikit-learn 1.9.1, KMeans(n_clusters=num_clusters, n_init=3,
// random_state=42), as letters from a.
struct Golden {
  std::size_t n;
  std::size_t dimension;
  std::size_t num_groups;
  double spread;
  std::uint32_t seed;
  int num_clusters;
  std::string labels;
};

std::vector<Golden> goldens() {
  return {
      {40, 4, 4, 0.3, 1, 4, "adcbadcbadcbadcbadcbadcbadcbadcbaacbadcb"},
      {60, 8, 5, 1.0, 2, 3,
       "bbababccbcbcabcbcabcbbabcbcabbbcabcbcabcbccbcbcabcacabcbcabc"},
      {90, 16, 6, 0.8, 3, 7,
       "dbgefcdbgefcdbgefcdbaefcdbaefcdbgefcdbgefcdbgefcdbaefcdbgefcdbgefcdbgef"
       "cdbgefcdbaefcdbaefc"},
      {120, 3, 9, 0.5, 4, 9,
       "fegbhiaeigcdbhdaechcgehgaccaegbhaacigcdabieidfegehaaeagegbhaceihedehaae"
       "chcgbhdecdgcgbhgacifegbbiccdfegehdacifcdbhaieifcg"},
      {80, 5, 80, 0.0, 5, 6,
       "dfabfdddbaafbcabddefcbbcaaccceacbfbdcdadabaedddefccadfbfdabbdcddfffeefa"
       "fcffcafba"},
      {100, 12, 7, 1.5, 6, 2,
       "baabbaabaaaababaaabaabaabbbabaabbbabaaabbabaaabbabaabbbabaabbaabaaabaab"
       "baabbabaabbaabaaabbabaaabaaba"},
      {50, 2, 50, 0.0, 7, 20,
       "hacpqfiskneckqlpldaebngfhphtlojlmesimhrfohdnbgdjbb"},
      {64, 6, 3, 2.0, 8, 11,
       "akdjccgfbdedieegfcjbeabcjjkahjgekgbddbhjkchbfdeaihjicccjcjfbafcj"},
      {30, 4, 5, 0.0, 9, 5, "bacedbacedbacedbacedbacedbaced"},
      {33, 4, 3, 0.9, 10, 1, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},
      {12, 3, 12, 0.0, 11, 12, "kgbjaheficdl"},
      {100, 2, 4, 0.02, 12, 25,
       "srbqskeqcrvnhjeduabdhalwpkewimbqsjfopjlwcabwpkxnujfwckbopkbnureqhmensae"
       "qhavqptbostbosyvnsavgumldhybg"},
  };
}

}  // namespace

TEST_SUITE("kmeans") {
  TEST_CASE("labels are those of scikit-learn") {
    for (const Golden& golden : goldens()) {
      CAPTURE(golden.seed);
      const std::vector<std::int32_t> labels =
          kmeans(grouped_points(golden.n, golden.dimension, golden.num_groups,
                                golden.spread, golden.seed),
                 golden.num_clusters, {});
      std::string letters;
      for (const std::int32_t label : labels) {
        letters += static_cast<char>('a' + label);
      }
      CHECK(letters == golden.labels);
    }
  }

  TEST_CASE("every point is a cluster of its own if there are as many") {
    std::vector<std::int32_t> labels =
        kmeans(grouped_points(12, 3, 12, 0.0, 11), 12, {});
    std::ranges::sort(labels);
    for (std::int32_t i = 0; i < 12; ++i) CHECK(labels[i] == i);
  }

  TEST_CASE("equal points share a cluster and others stay empty") {
    const Array<float, 2> points({6, 2}, 0.25F);
    CHECK(kmeans(points, 3, {}) == std::vector<std::int32_t>(6, 0));
  }

  TEST_CASE("more clusters than points or none are refused") {
    const Array<float, 2> points({2, 2});
    CHECK_THROWS_AS(static_cast<void>(kmeans(points, 3, {})), std::logic_error);
    CHECK_THROWS_AS(static_cast<void>(kmeans(points, 0, {})), std::logic_error);
  }
}

}  // namespace diarize::test
