#include "core/spans.h"

#include <doctest/doctest.h>

using diarize::Span;
using diarize::Spans;

TEST_SUITE("spans") {
  TEST_CASE("a microsecond or less is nothing") {
    CHECK(Span{1.0, 1.0}.empty());
    CHECK(Span{2.0, 1.0}.empty());
    CHECK(Span{0.0, 1e-6}.empty());
    CHECK(Span{0.0, 1e-6}.duration() == 0.0);
    CHECK_FALSE(Span{0.0, 2e-6}.empty());
    CHECK(Span{1.0, 1.5}.duration() == 0.5);
  }

  TEST_CASE("the support joins what overlaps or touches") {
    CHECK(diarize::support({{4, 5}, {0, 2}, {1, 3}, {3, 3.5}, {7, 7}}) ==
          Spans{{0, 3.5}, {4, 5}});
    CHECK(diarize::support({{0, 9}, {1, 2}, {3, 4}}) == Spans{{0, 9}});
    CHECK(diarize::support({}).empty());
  }

  TEST_CASE("the support closes gaps of a microsecond") {
    CHECK(diarize::support({{0, 1}, {1 + 9e-7, 2}}) == Spans{{0, 2}});
    CHECK(diarize::support({{0, 1}, {1 + 2e-6, 2}}).size() == 2);
  }

  TEST_CASE("the difference keeps what no hole covers") {
    const Spans spans = {{0, 4}, {6, 8}, {9, 10}};
    CHECK(diarize::difference(spans, Spans{{1, 2}, {3, 7}, {8.5, 11}}) ==
          Spans{{0, 1}, {2, 3}, {7, 8}});
    CHECK(diarize::difference(spans, Spans{}) == spans);
    CHECK(diarize::difference(Spans{}, spans).empty());
  }

  TEST_CASE("cropping keeps the part inside each span") {
    const Spans parts = {{0, 1}, {2, 3}, {5, 9}};
    CHECK(diarize::crop({0.5, 6}, parts) == Spans{{0.5, 1}, {2, 3}, {5, 6}});
    CHECK(diarize::crop({3, 5}, parts).empty());
    CHECK(diarize::crop({6, 7}, parts) == Spans{{6, 7}});
    CHECK(diarize::crop({0, 1}, Spans{}).empty());
  }

  TEST_CASE("the total duration adds the spans") {
    CHECK(diarize::total_duration(Spans{{0, 1}, {2, 4.5}}) == 3.5);
    CHECK(diarize::total_duration(Spans{}) == 0.0);
  }
}
