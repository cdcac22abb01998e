#include "io/model_search.h"

#include "core/error.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace {

using diarize::FatalError;
using diarize::find_model_folder;
using diarize::hub_caches;
using diarize::ModelSearch;
using diarize::test::TemporaryFolder;
using Paths = std::vector<std::filesystem::path>;

constexpr const char* kName = "pyannote/segmentation-3.0";
constexpr const char* kFile = "pytorch_model.bin";

Paths caches_of(const std::map<std::string, std::string>& variables) {
  return hub_caches([&](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  });
}

}  // namespace

TEST_SUITE("model_search") {
  TEST_CASE("the cache is where huggingface_hub has it") {
    CHECK(caches_of({}).empty());
    CHECK(caches_of({{"HOME", "/h"}}) == Paths{"/h/.cache/huggingface/hub"});
    CHECK(caches_of({{"HOME", "/h"}, {"HF_HOME", "/f"}}) == Paths{"/f/hub"});
    CHECK(caches_of({{"HF_HOME", "/f"}, {"HF_HUB_CACHE", "/c"}}) ==
          Paths{"/c"});
    CHECK(caches_of({{"HOME", "/h"}, {"HF_HOME", ""}}) ==
          Paths{"/h/.cache/huggingface/hub"});
  }

  TEST_CASE("a model is found beside the directory and above it") {
    const TemporaryFolder folder;
    const auto& root = folder.path();
    folder.write("segmentation-3.0/pytorch_model.bin", "x");
    std::filesystem::create_directories(root / "pipeline");
    CHECK(find_model_folder(kName, kFile, root, {}) ==
          root / "segmentation-3.0");
    CHECK(find_model_folder(kName, kFile, root / "pipeline", {}) ==
          root / "segmentation-3.0");
    CHECK(find_model_folder(kName, kFile, root / "pipeline/", {}) ==
          root / "segmentation-3.0");
    // The full name counts more than the short one.
    folder.write("pyannote/segmentation-3.0/pytorch_model.bin", "x");
    CHECK(find_model_folder(kName, kFile, root, {}) ==
          root / "pyannote/segmentation-3.0");
  }

  TEST_CASE("model paths are looked at before caches") {
    const TemporaryFolder beside;
    const TemporaryFolder paths;
    const TemporaryFolder cache;
    const ModelSearch search{{paths.path()}, {cache.path()}};
    CHECK_THROWS_AS(
        (void)find_model_folder(kName, kFile, beside.path(), search),
        FatalError);
    cache.write(
        "models--pyannote--segmentation-3.0/snapshots/1/" + std::string(kFile),
        "x");
    CHECK(find_model_folder(kName, kFile, beside.path(), search) ==
          cache.path() / "models--pyannote--segmentation-3.0/snapshots/1");
    paths.write("pyannote/segmentation-3.0/pytorch_model.bin", "x");
    CHECK(find_model_folder(kName, kFile, beside.path(), search) ==
          paths.path() / "pyannote/segmentation-3.0");
  }

  TEST_CASE(
      "of several snapshots the one of main or of the revision is taken") {
    const TemporaryFolder cache;
    const TemporaryFolder beside;
    const ModelSearch search{{}, {cache.path()}};
    const std::filesystem::path model = "models--pyannote--segmentation-3.0";
    const auto found = [&](const std::string& name) {
      return find_model_folder(name, kFile, beside.path(), search)
          .filename()
          .string();
    };
    for (const char* revision : {"aaa", "bbb", "ccc"}) {
      cache.write(model / "snapshots" / revision / kFile, "x");
    }
    CHECK(found(kName) == "ccc");
    cache.write(model / "refs/main", "bbb\n");
    CHECK(found(kName) == "bbb");
    CHECK(found(std::string(kName) + "@aaa") == "aaa");
    cache.write(model / "refs/v1", "ccc");
    CHECK(found(std::string(kName) + "@v1") == "ccc");
    CHECK_THROWS_AS((void)found(std::string(kName) + "@ddd"), FatalError);
    // A snapshot without the file is passed over.
    cache.write(model / "snapshots/ddd/other", "x");
    cache.write(model / "refs/main", "ddd");
    CHECK(found(kName) == "ccc");
  }

  TEST_CASE("the cache around a snapshot is looked at") {
    const TemporaryFolder cache;
    const auto pipeline = cache.path() /
                          "models--pyannote--speaker-diarization-3.1" /
                          "snapshots" / "1";
    std::filesystem::create_directories(pipeline);
    cache.write(
        "models--pyannote--segmentation-3.0/snapshots/2/" + std::string(kFile),
        "x");
    CHECK(find_model_folder(kName, kFile, pipeline, {}).filename() == "2");
  }

  TEST_CASE("what was looked for and where is in the message") {
    const TemporaryFolder folder;
    const std::string place = folder.path().string();
    CHECK_THROWS_WITH_AS(
        (void)find_model_folder(kName, kFile, folder.path(), {}),
        ("the model 'pyannote/segmentation-3.0' with its pytorch_model.bin was "
         "not found in " +
         place + ", " + folder.path().parent_path().string())
            .c_str(),
        FatalError);
  }

  TEST_CASE("names that are no names are refused") {
    const TemporaryFolder folder;
    for (const char* name :
         {"", "name", "/name", "org/", "a/b/c", "../../etc", "a/b@c/d"}) {
      CAPTURE(name);
      CHECK_THROWS_AS((void)find_model_folder(name, kFile, folder.path(), {}),
                      FatalError);
    }
  }
}
