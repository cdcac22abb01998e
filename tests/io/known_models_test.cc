#include "io/known_models.h"

#include "io/sha256.h"
#include "tests/support/shared_data.h"

#include <doctest/doctest.h>

using diarize::find_known_model;

TEST_SUITE("known_models") {
  TEST_CASE("a published file is known by its bytes") {
    const auto path = diarize::test::shared_data(
        "data/models/community1_plda/xvec_transform.npz");
    if (!path) return;
    const diarize::KnownModel* known =
        find_known_model(diarize::sha256_of_file(*path));
    REQUIRE(known != nullptr);
    CHECK(known->licence == "CC-BY-4.0");
    CHECK(known->attribution == "BUT Speech@FIT");
  }

  TEST_CASE("the default models are known with their licences") {
    const auto* segmentation = find_known_model(
        "da85c29829d4002daedd676e012936488234d9255e65e86dfab9bec6b1729298");
    const auto* embedding = find_known_model(
        "92f29b94e6948786a26778c9e302525d185bb08c8b9f5252ed98776902840199");
    REQUIRE(segmentation != nullptr);
    REQUIRE(embedding != nullptr);
    CHECK(segmentation->licence == "MIT");
    CHECK(embedding->licence == "Apache-2.0");
  }

  TEST_CASE("other bytes are not known") {
    CHECK(find_known_model("") == nullptr);
    CHECK(find_known_model(
              "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852"
              "b855") == nullptr);
  }
}
