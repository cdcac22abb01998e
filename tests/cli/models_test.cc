#include "cli/models.h"

#include "core/error.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

#include <CLI/CLI.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

using diarize::FatalError;
using diarize::ModelsCommand;
using diarize::ModelsContext;
using diarize::test::TemporaryFolder;
using Action = ModelsCommand::Action;

// SHA-256 of "abc".
constexpr std::string_view kDigest =
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

const std::string kDefaultConfig =
    "pipeline:\n  name: diarize.Default\nsegmentation:\n  file: s.bin\n  "
    "sha256: " +
    std::string(kDigest) +
    "\nembedding:\n  file: e.pt\n  sha256: " + std::string(kDigest) + "\n";

const std::string kPyannote31Config =
    "version: 3.1.0\npipeline:\n  name: "
    "pyannote.audio.pipelines.SpeakerDiarization\n  params:\n    clustering: "
    "AgglomerativeClustering\n    segmentation: org/seg\n    embedding: "
    "org/emb\n";

ModelsCommand parse(std::vector<std::string> arguments) {
  CLI::App app;
  ModelsCommand command;
  diarize::add_models_options(app, command);
  std::ranges::reverse(arguments);
  app.parse(arguments);
  return command;
}

struct Result {
  int status = 0;
  std::string text;
};

Result run(const ModelsCommand& command, const ModelsContext& context = {}) {
  std::ostringstream out;
  const int status = diarize::run_models(command, context, out);
  return {status, out.str()};
}

bool contains(const std::string& text, std::string_view piece) {
  return text.find(piece) != std::string::npos;
}

// A default set whose files have the right digests and are no checkpoints.
void write_default(const TemporaryFolder& folder, const std::string& name) {
  folder.write(name + "/config.yaml", kDefaultConfig);
  folder.write(name + "/s.bin", "abc");
  folder.write(name + "/e.pt", "abc");
}

}  // namespace

TEST_SUITE("models command") {
  TEST_CASE("without a word it lists") {
    CHECK(parse({}).action == Action::kList);
    CHECK(parse({"list"}).action == Action::kList);
  }

  TEST_CASE("info and check take a folder and model paths anywhere") {
    const ModelsCommand info =
        parse({"--model-path", "a", "info", "dir", "--model-path", "b"});
    CHECK(info.action == Action::kInfo);
    CHECK(info.directory == "dir");
    CHECK(info.model_paths == std::vector<std::filesystem::path>{"a", "b"});
    CHECK(parse({"check", "dir"}).action == Action::kCheck);
    CHECK_THROWS_AS((void)parse({"info"}), CLI::ParseError);
    CHECK_THROWS_AS((void)parse({"check"}), CLI::ParseError);
    CHECK_THROWS_AS((void)parse({"list", "dir"}), CLI::ParseError);
    CHECK_THROWS_AS((void)parse({"remove", "dir"}), CLI::ParseError);
  }

  TEST_CASE("a list has a line for each pipeline and says what is wrong") {
    const TemporaryFolder folder;
    write_default(folder, "set/default");
    folder.write("paths/old/config.yaml", kPyannote31Config);
    ModelsCommand command;
    command.model_paths = {folder.path() / "paths"};
    ModelsContext context;
    context.default_folders = {folder.path() / "set/default",
                               folder.path() / "absent"};
    const Result result = run(command, context);
    CHECK(result.status == 0);
    CHECK(std::ranges::count(result.text, '\n') == 2);
    CHECK(contains(result.text, "default               " +
                                    (folder.path() / "set/default").string()));
    CHECK(contains(result.text, "not usable"));
    CHECK(contains(result.text, "the model 'org/seg'"));
  }

  TEST_CASE("a list finds pipelines in a cache and leaves other models out") {
    const TemporaryFolder cache;
    cache.write("models--org--seg/snapshots/1/pytorch_model.bin", "x");
    cache.write("models--org--emb/snapshots/1/pytorch_model.bin", "x");
    cache.write("models--org--emb/snapshots/1/config.yaml", "a: 1\n");
    cache.write("models--org--old/snapshots/1/config.yaml", kPyannote31Config);
    ModelsContext context;
    context.hub_caches = {cache.path()};
    const Result result = run({}, context);
    CHECK(std::ranges::count(result.text, '\n') == 1);
    CHECK(result.text.starts_with("pyannote 3.1 "));
  }

  TEST_CASE("an empty list says where was looked") {
    ModelsContext context;
    context.default_folders = {"/nowhere/models"};
    CHECK(run({}, context).text ==
          "no pipeline found in:\n  /nowhere/models\n");
  }

  TEST_CASE("info shows kind and files and digests") {
    const TemporaryFolder folder;
    write_default(folder, "m");
    const Result result = run({Action::kInfo, folder.path() / "m", {}});
    CHECK(result.status == 0);
    CHECK(result.text.starts_with("pipeline      default\nfolder        "));
    CHECK(contains(result.text, "3 bytes, SHA-256 " + std::string(kDigest)));
    CHECK(contains(result.text, "no published file that is known here"));
    CHECK_FALSE(contains(result.text, "differs"));
    folder.write("m/e.pt", "abd");
    CHECK(contains(run({Action::kInfo, folder.path() / "m", {}}).text,
                   "differs: config.yaml expects " + std::string(kDigest)));
  }

  TEST_CASE("info of pyannote's pipelines shows their settings") {
    const TemporaryFolder folder;
    folder.write("seg/pytorch_model.bin", "x");
    folder.write("emb/pytorch_model.bin", "x");
    folder.write("m/config.yaml", kPyannote31Config);
    const Result result = run({Action::kInfo, folder.path() / "m", {}});
    CHECK(contains(result.text,
                   "settings      agglomerative clustering, threshold "
                   "0.7045654963945799, min_cluster_size 12, min_duration_off "
                   "0, embedding_exclude_overlap false\n"));
    CHECK(contains(result.text,
                   (folder.path() / "seg/pytorch_model.bin").string()));
  }

  TEST_CASE("info about what is no pipeline is an error") {
    const TemporaryFolder folder;
    CHECK_THROWS_AS((void)run({Action::kInfo, folder.path(), {}}), FatalError);
  }

  TEST_CASE("a check names each part that is wrong and ends with 1") {
    const TemporaryFolder folder;
    write_default(folder, "m");
    bool loaded = false;
    ModelsContext context;
    context.load = [&loaded](const diarize::ModelDirectory&) { loaded = true; };
    const Result result =
        run({Action::kCheck, folder.path() / "m", {}}, context);
    CHECK(result.status == 1);
    CHECK(contains(result.text, "ok     checksums"));
    CHECK(contains(result.text, "wrong  segmentation"));
    CHECK(contains(result.text, "wrong  embedding"));
    CHECK_FALSE(loaded);
    folder.write("m/s.bin", "other");
    CHECK(contains(run({Action::kCheck, folder.path() / "m", {}}).text,
                   "wrong  checksums"));
    const Result none = run({Action::kCheck, folder.path() / "absent", {}});
    CHECK(none.status == 1);
    CHECK(none.text.starts_with("wrong  config"));
  }

  TEST_CASE("the default models that were fetched are whole") {
    const auto path = diarize::test::checkout_data("models/default");
    if (!path) return;
    bool loaded = false;
    ModelsContext context;
    context.load = [&loaded](const diarize::ModelDirectory&) { loaded = true; };
    const Result result = run({Action::kCheck, *path, {}}, context);
    CHECK(result.status == 0);
    CHECK(loaded);
    CHECK(contains(result.text, "54 tensors, 1473515 values"));
    context.load = [](const diarize::ModelDirectory&) {
      throw FatalError("tensor 'x' is missing");
    };
    const Result broken = run({Action::kCheck, *path, {}}, context);
    CHECK(broken.status == 1);
    CHECK(contains(broken.text, "wrong  networks      tensor 'x' is missing"));
    const Result info = run({Action::kInfo, *path, {}});
    CHECK(contains(info.text, "pyannote/segmentation-3.0"));
    CHECK(contains(info.text, "licence Apache-2.0"));
  }
}
