#include "io/plda_file.h"

#include "core/error.h"
#include "io/npz.h"
#include "tests/io/make_zip.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <vector>

namespace {

using diarize::FatalError;
using diarize::read_plda;
using diarize::test::make_zip;
using diarize::test::npy_bytes;
using diarize::test::raw_bytes;
using diarize::test::TemporaryFolder;
using diarize::test::ZipContent;

template <typename T>
ZipContent array(const std::string& name, const std::string& shape,
                 std::size_t count, T value) {
  const std::string dtype = sizeof(T) == 4 ? "<f4" : "<f8";
  return {name + ".npy",
          npy_bytes("{'descr': '" + dtype +
                        "', 'fortran_order': False, 'shape': " + shape + ", }",
                    raw_bytes(std::vector<T>(count, value)))};
}

// The arrays of a sound folder, which a case then damages.
struct PldaContents {
  std::vector<ZipContent> transform{array("mean1", "(256,)", 256, 0.5),
                                    array("mean2", "(128,)", 128, 0.5F),
                                    array("lda", "(256, 128)", 32768, 0.5F)};
  std::vector<ZipContent> plda{array("mu", "(128,)", 128, 0.5),
                               array("tr", "(128, 128)", 16384, 0.5),
                               array("psi", "(128,)", 128, 0.5)};
};

// The message of the error, without the path; empty if it is read.
std::string refusal(const PldaContents& contents) {
  const TemporaryFolder folder;
  make_zip(folder.path() / "xvec_transform.npz", contents.transform);
  make_zip(folder.path() / "plda.npz", contents.plda);
  try {
    (void)read_plda(folder.path());
  } catch (const FatalError& error) {
    const std::string message = error.what();
    return message.substr(message.find(".npz: ") + 6);
  }
  return "";
}

}  // namespace

TEST_SUITE("plda_file") {
  TEST_CASE("a sound folder is read and float32 is widened") {
    CHECK(refusal({}).empty());
  }

  TEST_CASE("shapes and types must be those published") {
    PldaContents contents;
    contents.transform[0] = array("mean1", "(255,)", 255, 0.5);
    CHECK(refusal(contents) == "mean1: has shape (255), expected (256)");
    contents = {};
    contents.transform[2] = array("lda", "(128, 256)", 32768, 0.5F);
    CHECK(refusal(contents) ==
          "lda: has shape (128, 256), expected (256, 128)");
    contents = {};
    contents.transform[1] = array("mean2", "(128,)", 128, 0.5);
    CHECK(refusal(contents) ==
          "mean2: has values of dtype '<f8', expected '<f4'");
    contents = {};
    contents.plda[0] = array("mu", "(128,)", 128, 0.5F);
    CHECK(refusal(contents) == "mu: has values of dtype '<f4', expected '<f8'");
    contents = {};
    contents.plda[1] = array("tr", "(16384,)", 16384, 0.5);
    CHECK(refusal(contents) == "tr: has shape (16384), expected 2 dimensions");
  }

  TEST_CASE("a missing array is named") {
    PldaContents contents;
    contents.plda.pop_back();
    CHECK(refusal(contents) == "psi: is missing; the file holds mu, tr");
  }

  TEST_CASE("values that no model has are refused") {
    PldaContents contents;
    contents.plda[2] = array("psi", "(128,)", 128, 0.0);
    CHECK(refusal(contents) == "psi: has a value that is not positive");
    contents = {};
    contents.plda[0] =
        array("mu", "(128,)", 128, std::numeric_limits<double>::quiet_NaN());
    CHECK(refusal(contents) == "mu: has a value that is not finite");
  }

  TEST_CASE("a missing folder is an error") {
    const TemporaryFolder folder;
    CHECK_THROWS_AS((void)read_plda(folder.path()), FatalError);
  }

  TEST_CASE("the published model is read") {
    const auto folder =
        diarize::test::shared_data("data/models/community1_plda");
    if (!folder) return;
    const diarize::PldaModel model = read_plda(*folder);
    CHECK(model.mean1.size(0) == 256);
    CHECK(model.mean2.size(0) == 128);
    CHECK(model.lda.size(1) == 128);
    CHECK(model.tr.size(0) == 128);
    // As published: descending between-speaker variances.
    CHECK(model.psi(0) == doctest::Approx(25.8824).epsilon(1e-5));
    CHECK(model.psi(127) == doctest::Approx(0.5696).epsilon(1e-4));
  }
}
