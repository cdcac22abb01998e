#include "io/npz.h"

#include "core/error.h"
#include "tests/io/make_zip.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

namespace {

using diarize::FatalError;
using diarize::NpzFile;
using diarize::test::Compression;
using diarize::test::make_zip;
using diarize::test::npy_bytes;
using diarize::test::raw_bytes;
using diarize::test::shared_data;
using diarize::test::TemporaryFolder;

const std::string kMatrix =
    npy_bytes("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }",
              raw_bytes<float>({1, 2, 3, 4}));
const std::string kScalar =
    npy_bytes("{'descr': '<f8', 'fortran_order': False, 'shape': (), }",
              raw_bytes<double>({0.6}));
const std::string kText =
    npy_bytes("{'descr': '<U1', 'fortran_order': False, 'shape': (1,), }",
              std::string("a\0\0\0", 4));

}  // namespace

TEST_SUITE("npz") {
  TEST_CASE("stored and deflated archives give the same arrays") {
    const TemporaryFolder folder;
    for (const auto compression :
         {Compression::kStored, Compression::kDeflated}) {
      const auto path = folder.path() / "a.npz";
      make_zip(path, {{"m.npy", kMatrix}, {"s.npy", kScalar}}, compression);
      const NpzFile file(path);
      CHECK(file.names() == std::vector<std::string>{"m", "s"});
      CHECK(file.has("m"));
      CHECK_FALSE(file.has("m.npy"));
      CHECK(file.shape("m") == std::vector<std::size_t>{2, 2});
      const auto matrix = file.array<double, 2>("m");
      CHECK(matrix(1, 0) == 3.0);
      CHECK(file.values<float>("m") == std::vector<float>{1, 2, 3, 4});
      CHECK(file.scalar<double>("s") == 0.6);
    }
  }

  TEST_CASE("the array of an npy file has the name of the file") {
    const TemporaryFolder folder;
    const NpzFile file(folder.write("labels.npy", kMatrix));
    CHECK(file.names() == std::vector<std::string>{"labels"});
    CHECK(file.array<float, 2>("labels")(0, 1) == 2.0F);
    CHECK_FALSE(file.has("other"));
  }

  TEST_CASE("errors name the file and the array") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "a.npz";
    make_zip(path, {{"m.npy", kMatrix}, {"t.npy", kText}});
    const NpzFile file(path);
    const std::string front = path.string() + ": ";
    CHECK_THROWS_WITH_AS((void)file.values<float>("x"),
                         (front + "x: is missing; the file holds m, t").c_str(),
                         FatalError);
    CHECK_THROWS_WITH_AS(
        (void)(file.array<float, 1>("m")),
        (front + "m: has shape (2, 2), expected 1 dimensions").c_str(),
        FatalError);
    CHECK_THROWS_WITH_AS(
        (void)file.scalar<float>("m"),
        (front + "m: has shape (2, 2), expected one value").c_str(),
        FatalError);
    CHECK_THROWS_WITH_AS(
        (void)file.values<float>("t"),
        (front + "t: values of dtype '<U1' are not read").c_str(), FatalError);
  }

  TEST_CASE("files that are no arrays are refused") {
    const TemporaryFolder folder;
    CHECK_THROWS_AS(NpzFile(folder.path() / "absent.npz"), FatalError);
    CHECK_THROWS_AS(NpzFile(folder.path()), FatalError);
    CHECK_THROWS_AS(NpzFile(folder.write("e.npz", "")), FatalError);
    CHECK_THROWS_AS(NpzFile(folder.write("r.npz", std::string(999, 'r'))),
                    FatalError);
    CHECK_THROWS_AS(NpzFile(folder.write("c.npy", kMatrix.substr(0, 40))),
                    FatalError);
  }

  TEST_CASE("a flipped bit of the data is found by the checksum") {
    const TemporaryFolder folder;
    const auto path = folder.path() / "a.npz";
    make_zip(path, {{"m.npy", kMatrix}});
    std::string bytes = diarize::test::read_bytes(path);
    bytes[bytes.find("NUMPY") + kMatrix.size() - 2] ^= 1;
    const NpzFile file(folder.write("b.npz", bytes));
    CHECK_THROWS_AS((void)file.values<float>("m"), FatalError);
  }

  TEST_CASE("captured stages are read") {
    const auto folder = shared_data("data/stages/findit_02_pyannote_sample");
    if (!folder) return;
    const NpzFile plda(*folder / "plda_embeddings.npz");
    CHECK(plda.array<double, 2>("post_plda").shape() ==
          std::array<std::size_t, 2>{37, 128});
    CHECK(plda.values<std::int64_t>("train_chunk_idx").size() == 37);
    const NpzFile clusters(*folder / "clustering.npz");
    CHECK(clusters.array<std::int32_t, 2>("hard_clusters").shape() ==
          std::array<std::size_t, 2>{21, 3});
    const NpzFile state(*folder / "ahc_state.npz");
    CHECK(state.scalar<double>("threshold") == 0.6);
    const NpzFile labels(*folder / "ahc_init_labels.npy");
    CHECK(labels.values<std::int32_t>("ahc_init_labels").size() == 37);
  }

  TEST_CASE("every numeric array of the goldens is read") {
    const auto root = shared_data("goldens");
    if (!root) return;
    int num_arrays = 0;
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(*root)) {
      if (entry.path().extension() != ".npz") continue;
      const NpzFile file(entry.path());
      for (const std::string& name : file.names()) {
        if (file.dtype(name).find('U') != std::string::npos) continue;
        CAPTURE(entry.path().string());
        CAPTURE(name);
        std::size_t expected = 1;
        for (const std::size_t length : file.shape(name)) expected *= length;
        CHECK(file.values<double>(name).size() == expected);
        ++num_arrays;
      }
    }
    CHECK(num_arrays > 100);
  }
}
