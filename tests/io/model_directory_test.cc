#include "io/model_directory.h"

#include "core/error.h"
#include "io/checkpoint.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace {

using diarize::FatalError;
using diarize::ModelDirectory;
using diarize::PipelineKind;
using diarize::read_model_config;
using diarize::read_model_directory;
using diarize::test::TemporaryFolder;

// Of a file that holds "abc".
constexpr const char* kDigest =
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

const std::string kDefault =
    "pipeline:\n"
    "  name: diarize.Default\n"
    "segmentation:\n"
    "  file: s.bin\n"
    "  sha256: " +
    std::string(kDigest) +
    "\n"
    "embedding:\n"
    "  file: e.pt\n"
    "  sha256: " +
    std::string(kDigest) + "\n";

// As pyannote publishes it.
const std::string kCommunity1 =
    "dependencies:\n"
    "  pyannote.audio: 4.0.0\n"
    "\n"
    "pipeline:\n"
    "  name: pyannote.audio.pipelines.SpeakerDiarization\n"
    "  params:\n"
    "    clustering: VBxClustering\n"
    "    segmentation: $model/segmentation\n"
    "    segmentation_batch_size: 32\n"
    "    embedding: $model/embedding\n"
    "    embedding_batch_size: 32\n"
    "    embedding_exclude_overlap: true\n"
    "    plda: $model/plda\n"
    "\n"
    "params:\n"
    "  clustering:\n"
    "    threshold: 0.6\n"
    "    Fa: 0.07\n"
    "    Fb: 0.8\n"
    "  segmentation:\n"
    "    min_duration_off: 0.0\n";

const std::string kPyannote31 =
    "version: 3.1.0\n"
    "\n"
    "pipeline:\n"
    "  name: pyannote.audio.pipelines.SpeakerDiarization\n"
    "  params:\n"
    "    clustering: AgglomerativeClustering\n"
    "    embedding: pyannote/wespeaker-voxceleb-resnet34-LM\n"
    "    embedding_batch_size: 32\n"
    "    embedding_exclude_overlap: true\n"
    "    segmentation: pyannote/segmentation-3.0\n"
    "    segmentation_batch_size: 32\n"
    "\n"
    "params:\n"
    "  clustering:\n"
    "    method: centroid\n"
    "    min_cluster_size: 12\n"
    "    threshold: 0.7045654963945799\n"
    "  segmentation:\n"
    "    min_duration_off: 0.0\n";

// `text` with one piece replaced by another.
std::string with(std::string text, std::string_view piece,
                 std::string_view replacement) {
  const std::size_t place = text.find(piece);
  REQUIRE(place != std::string::npos);
  return text.replace(place, piece.size(), replacement);
}

// A folder with the files that all three layouts need.
class ModelFolder {
 public:
  ModelFolder() {
    for (const char* path :
         {"s.bin", "e.pt", "segmentation/pytorch_model.bin",
          "embedding/pytorch_model.bin", "plda/plda.npz",
          "plda/xvec_transform.npz",
          "pyannote/segmentation-3.0/pytorch_model.bin",
          "pyannote/wespeaker-voxceleb-resnet34-LM/pytorch_model.bin"}) {
      folder_.write(path, "abc");
    }
  }

  [[nodiscard]] const std::filesystem::path& path() const {
    return folder_.path();
  }

  void remove(const char* file) const {
    std::filesystem::remove(folder_.path() / file);
  }

  void write(const char* file, std::string_view bytes) const {
    folder_.write(file, bytes);
  }

  [[nodiscard]] ModelDirectory read(const std::string& config) const {
    folder_.write("config.yaml", config);
    return read_model_directory(folder_.path());
  }

  // The message of the error without the path of config.yaml.
  [[nodiscard]] std::string refusal(const std::string& config) const {
    try {
      (void)read(config);
    } catch (const FatalError& error) {
      const std::string message = error.what();
      const std::string front = (path() / "config.yaml").string() + ": ";
      return message.starts_with(front) ? message.substr(front.size())
                                        : message;
    }
    return "";
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace

TEST_SUITE("model_directory") {
  TEST_CASE("the default set is understood") {
    const ModelFolder folder;
    const ModelDirectory model = folder.read(kDefault);
    CHECK(model.kind == PipelineKind::kDefault);
    CHECK(model.directory == folder.path());
    CHECK(model.segmentation == folder.path() / "s.bin");
    CHECK(model.embedding == folder.path() / "e.pt");
    CHECK(model.segmentation_sha256 == kDigest);
    CHECK_FALSE(model.plda.has_value());
  }

  TEST_CASE("a file that differs from its digest is refused") {
    const ModelFolder folder;
    folder.write("e.pt", "abd");
    const std::string message = folder.refusal(kDefault);
    CHECK(message.starts_with((folder.path() / "e.pt").string() +
                              ": has SHA-256 "));
    CHECK(message.ends_with(std::string("expects ") + kDigest));
    // Without a look at the bytes it is still understood.
    CHECK_NOTHROW((void)read_model_config(folder.path()));
  }

  TEST_CASE("a default set that is not whole is refused") {
    const ModelFolder folder;
    CHECK(folder.refusal(with(kDefault, "  file: e.pt\n", "")) ==
          "embedding.file: is missing");
    CHECK(folder.refusal(with(kDefault, "sha256: ba78", "sha256: BA78")) ==
          "segmentation.sha256: expected 64 lower-case hexadecimal digits");
    CHECK(folder.refusal(kDefault + "params: {}\n") == "params: is not known");
    folder.remove("s.bin");
    CHECK(folder.refusal(kDefault) == "segmentation.file: '" +
                                          (folder.path() / "s.bin").string() +
                                          "' is missing");
  }

  TEST_CASE("community-1 is understood") {
    const ModelFolder folder;
    const ModelDirectory model = folder.read(kCommunity1);
    CHECK(model.kind == PipelineKind::kCommunity1);
    CHECK(model.segmentation ==
          folder.path() / "segmentation" / "pytorch_model.bin");
    CHECK(model.embedding == folder.path() / "embedding" / "pytorch_model.bin");
    REQUIRE(model.plda.has_value());
    CHECK(*model.plda == folder.path() / "plda");
    CHECK(model.parameters.threshold == 0.6);
    CHECK(model.parameters.Fa == 0.07);
    CHECK(model.parameters.Fb == 0.8);
    CHECK(model.parameters.min_duration_off == 0.0);
    CHECK(model.parameters.embedding_exclude_overlap);
  }

  TEST_CASE("a revision after the folder is allowed") {
    const ModelFolder folder;
    CHECK(folder
              .read(with(kCommunity1, "$model/embedding",
                         "$model/embedding@main"))
              .embedding == folder.path() / "embedding" / "pytorch_model.bin");
  }

  TEST_CASE("3.1 is understood with models found by name") {
    const ModelFolder folder;
    const ModelDirectory model = folder.read(kPyannote31);
    CHECK(model.kind == PipelineKind::kPyannote31);
    CHECK(model.segmentation ==
          folder.path() / "pyannote/segmentation-3.0/pytorch_model.bin");
    CHECK(model.parameters.threshold == 0.7045654963945799);
    CHECK(model.parameters.min_cluster_size == 12);
    CHECK_FALSE(model.plda.has_value());
  }

  TEST_CASE("3.1 may name files by their paths and a plda it does not use") {
    const ModelFolder folder;
    const std::string file =
        (folder.path() / "segmentation/pytorch_model.bin").string();
    const ModelDirectory model =
        folder.read(with(with(kPyannote31, "pyannote/segmentation-3.0", file),
                         "    segmentation_batch",
                         "    plda: /nowhere\n    segmentation_batch"));
    CHECK(model.segmentation == file);
  }

  TEST_CASE("what config.yaml sets is taken") {
    const ModelFolder folder;
    const auto community = folder.read(
        with(with(with(kCommunity1, "Fa: 0.07", "Fa: 0.1"), "0.6", "0.5"),
             "min_duration_off: 0.0", "min_duration_off: 0.25"));
    CHECK(community.parameters.Fa == 0.1);
    CHECK(community.parameters.threshold == 0.5);
    CHECK(community.parameters.min_duration_off == 0.25);
    const auto agglomerative = folder.read(
        with(kPyannote31, "min_cluster_size: 12", "min_cluster_size: 3"));
    CHECK(agglomerative.parameters.min_cluster_size == 3);
    CHECK(agglomerative.parameters.step == 1.0);
    const auto denser = folder.read(with(
        kPyannote31,
        "    segmentation:", "    segmentation_step: 0.05\n    segmentation:"));
    CHECK(denser.parameters.step == 0.5);
  }

  TEST_CASE("settings that are absent have their published values") {
    const ModelFolder folder;
    const auto without_params = [](const std::string& config) {
      return config.substr(0, config.find("\nparams:"));
    };
    CHECK(folder.read(without_params(kCommunity1)).parameters.threshold == 0.6);
    CHECK(folder.read(without_params(kPyannote31)).parameters.threshold ==
          0.7045654963945799);
  }

  TEST_CASE("keys that are not known are refused by name") {
    const ModelFolder folder;
    CHECK(folder.refusal(with(kCommunity1, "Fa:", "foo: 1\n    Fa:")) ==
          "params.clustering.foo: is not known");
    CHECK(folder.refusal(with(kCommunity1, "    Fa: 0.07\n",
                              "    Fa: 0.07\n    min_cluster_size: 12\n")) ==
          "params.clustering.min_cluster_size: is not known");
    CHECK(folder.refusal(
              with(kPyannote31, "    method:", "    Fa: 0.07\n    method:")) ==
          "params.clustering.Fa: is not known");
    CHECK(folder.refusal(kCommunity1 + "    threshold: 0.5\n") ==
          "params.segmentation.threshold: is not known");
    CHECK(folder.refusal(kCommunity1 + "preprocessors: {}\n") ==
          "preprocessors: is not known");
    CHECK(folder.refusal(
              with(kCommunity1, "    plda:", "    skip: 1\n    plda:")) ==
          "pipeline.params.skip: is not known");
  }

  TEST_CASE("values that mean something else are refused by name") {
    const ModelFolder folder;
    CHECK(folder.refusal(
              with(kCommunity1, "VBxClustering", "OracleClustering")) ==
          "pipeline.params.clustering: 'OracleClustering' is not known, "
          "expected VBxClustering or AgglomerativeClustering");
    CHECK(folder.refusal(
              with(kPyannote31, "method: centroid", "method: average")) ==
          "params.clustering.method: 'average' is not known, expected "
          "centroid");
    CHECK(folder.refusal(with(kPyannote31, "size: 12", "size: 0")) ==
          "params.clustering.min_cluster_size: is 0, expected 1 or more");
    CHECK(folder.refusal(with(kCommunity1, "Fb: 0.8", "Fb: 0")) ==
          "params.clustering.Fb: is 0, expected more than 0");
    CHECK(folder.refusal(with(kCommunity1, "off: 0.0", "off: -1")) ==
          "params.segmentation.min_duration_off: is -1, expected 0 or more");
    CHECK(folder.refusal(with(kCommunity1, "    plda:",
                              "    segmentation_step: 2\n    plda:")) ==
          "pipeline.params.segmentation_step: is 2, expected more than 0, at "
          "most 1");
    CHECK(folder.refusal(with(kCommunity1, "audio.pipelines.S", "audio.S"))
              .starts_with("pipeline.name: 'pyannote.audio.SpeakerDiarization' "
                           "is not known, expected diarize.Default or "));
    CHECK(folder.refusal("a: 1\n") == "pipeline.name: is missing");
  }

  TEST_CASE("missing files are named with their key") {
    const ModelFolder folder;
    folder.remove("plda/xvec_transform.npz");
    CHECK(folder.refusal(kCommunity1) ==
          "pipeline.params.plda: '" +
              (folder.path() / "plda/xvec_transform.npz").string() +
              "' is missing");
    folder.remove("embedding/pytorch_model.bin");
    CHECK(folder.refusal(kCommunity1) ==
          "pipeline.params.embedding: '" +
              (folder.path() / "embedding/pytorch_model.bin").string() +
              "' is missing");
    folder.remove("pyannote/segmentation-3.0/pytorch_model.bin");
    CHECK(folder.refusal(kPyannote31)
              .starts_with("pipeline.params.segmentation: the model "
                           "'pyannote/segmentation-3.0' with its "
                           "pytorch_model.bin was not found in "));
  }

  TEST_CASE("what is no YAML is refused in one line") {
    const ModelFolder folder;
    for (const std::string& text :
         {std::string("a: [1\nb: }"), std::string("\x80\x02}q\x01."),
          std::string("[1, 2]"), std::string(100000, '['),
          std::string(300000, 'x'), std::string("&a [*a]"), std::string()}) {
      const std::string message = folder.refusal(text);
      CAPTURE(message);
      CHECK_FALSE(message.empty());
      CHECK(message.find('\n') == std::string::npos);
    }
  }

  TEST_CASE("a folder without config.yaml is refused") {
    const TemporaryFolder folder;
    CHECK_THROWS_WITH_AS(
        (void)read_model_directory(folder.path()),
        ((folder.path() / "config.yaml").string() + ": there is no such file")
            .c_str(),
        FatalError);
  }

  TEST_CASE("the default models that were fetched are whole") {
    const auto path = diarize::test::checkout_data("models/default");
    if (!path) return;
    const ModelDirectory model = read_model_directory(*path);
    CHECK(model.kind == PipelineKind::kDefault);
    CHECK(name_of(model.kind) == "default");
  }

  TEST_CASE("directories with synthetic weights are read to the last tensor") {
    const auto root = diarize::test::checkout_data(".deps/synthetic");
    if (!root) return;
    for (const char* name : {"community1", "v31"}) {
      CAPTURE(name);
      const ModelDirectory model = read_model_directory(*root / name);
      CHECK(model.parameters.embedding_exclude_overlap);
      CHECK(model.plda.has_value() ==
            (model.kind == PipelineKind::kCommunity1));
      const auto segmentation = diarize::read_checkpoint(model.segmentation);
      CHECK(segmentation.weights.num_values() == 1473515);
      auto embedding = diarize::read_checkpoint(model.embedding);
      CHECK(embedding.weights.num_tensors() == 182);
      CHECK(embedding.weights.num_values() == 6642848);
      CHECK(embedding.weights.discard(diarize::is_batch_counter) == 36);
      REQUIRE(embedding.architecture.has_value());
      CHECK(embedding.architecture->class_name == "WeSpeakerResNet34");
    }
  }
}
