#include "io/model_directory.h"

#include "core/error.h"
#include "io/config_section.h"
#include "io/one_line.h"
#include "io/sha256.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <system_error>
#include <tuple>
#include <utility>

namespace diarize {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kConfigName = "config.yaml";
constexpr std::uintmax_t kMaxConfigBytes = std::uintmax_t{1} << 18;

constexpr std::string_view kDefaultName = "diarize.Default";
constexpr std::array<std::string_view, 2> kPyannoteNames = {
    "pyannote.audio.pipelines.SpeakerDiarization",
    "pyannote.audio.pipelines.speaker_diarization.SpeakerDiarization"};

constexpr std::string_view kCheckpointName = "pytorch_model.bin";
constexpr std::string_view kPldaName = "plda.npz";
constexpr std::string_view kTransformName = "xvec_transform.npz";

constexpr double kChunkSeconds = 10.0;
constexpr double kPublishedStep = 0.1;  // of a chunk; pyannote.audio's default
constexpr double kCommunity1Threshold = 0.6;
constexpr double kPyannote31Threshold = 0.7045654963945799;

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

YAML::Node load(const fs::path& path) {
  std::error_code error;
  if (!is_file(path)) throw FatalError("there is no such file");
  if (fs::file_size(path, error) > kMaxConfigBytes || error) {
    throw FatalError(
        fmt::format("is larger than {} bytes, expected a few lines of settings",
                    kMaxConfigBytes));
  }
  return YAML::LoadFile(path.string());
}

// Understands one config.yaml.
class ModelConfig {
 public:
  ModelConfig(const fs::path& directory, const ModelSearch& search,
              const YAML::Node& root)
      : directory_(directory), search_(search), root_(root, "") {}

  ModelDirectory read() {
    ConfigSection pipeline = root_.section("pipeline");
    const std::string name = pipeline.required_text("name");
    ModelDirectory model;
    if (name == kDefaultName) {
      model = read_default();
    } else if (std::ranges::count(kPyannoteNames, name) != 0) {
      model = read_pyannote(pipeline.section("params"));
    } else {
      pipeline.fail("name", fmt::format("'{}' is not known, expected {} or {}",
                                        name, kDefaultName, kPyannoteNames[0]));
    }
    model.directory = directory_;
    pipeline.finish();
    root_.finish();
    return model;
  }

 private:
  ModelDirectory read_default() {
    ModelDirectory model;
    std::tie(model.segmentation, model.segmentation_sha256) =
        read_file("segmentation");
    std::tie(model.embedding, model.embedding_sha256) = read_file("embedding");
    return model;
  }

  // A file of the directory, with the digest it must have.
  std::pair<fs::path, std::string> read_file(std::string_view key) {
    ConfigSection section = root_.section(key);
    const fs::path path = directory_ / section.required_text("file");
    if (!is_file(path)) {
      section.fail("file", fmt::format("'{}' is missing", path.string()));
    }
    const std::string digest = section.required_text("sha256");
    if (digest.size() != 64 ||
        digest.find_first_not_of("0123456789abcdef") != digest.npos) {
      section.fail("sha256", "expected 64 lower-case hexadecimal digits");
    }
    section.finish();
    return {path, digest};
  }

  ModelDirectory read_pyannote(ConfigSection params) {
    // What they were made and run with.
    for (const char* key : {"version", "dependencies", "device"}) {
      root_.ignore(key);
    }
    for (const char* key :
         {"segmentation_batch_size", "embedding_batch_size", "der_variant",
          "legacy", "token", "use_auth_token", "cache_dir"}) {
      params.ignore(key);
    }
    ModelDirectory model;
    model.kind = read_clustering(params);
    model.segmentation = checkpoint(params, "segmentation");
    model.embedding = checkpoint(params, "embedding");
    if (model.kind == PipelineKind::kCommunity1) {
      model.plda = plda_folder(params);
    } else {
      // pyannote.audio 4 loads one also where its clustering uses none.
      params.ignore("plda");
    }
    const double step =
        params.number("segmentation_step").value_or(kPublishedStep);
    if (step <= 0.0 || step > 1.0) {
      params.fail("segmentation_step",
                  fmt::format("is {}, expected more than 0, at most 1", step));
    }
    model.parameters = read_parameters(model.kind);
    model.parameters.step = kChunkSeconds * step;
    model.parameters.embedding_exclude_overlap =
        params.boolean("embedding_exclude_overlap").value_or(false);
    params.finish();
    return model;
  }

  static PipelineKind read_clustering(ConfigSection& params) {
    const std::string name =
        params.text("clustering").value_or("VBxClustering");
    if (name == "VBxClustering") return PipelineKind::kCommunity1;
    if (name == "AgglomerativeClustering") return PipelineKind::kPyannote31;
    params.fail("clustering",
                fmt::format("'{}' is not known, expected VBxClustering or "
                            "AgglomerativeClustering",
                            name));
  }

  PyannoteParameters read_parameters(PipelineKind kind) {
    PyannoteParameters result;
    ConfigSection params = root_.section("params");
    ConfigSection clustering = params.section("clustering");
    const auto read = [](ConfigSection& section, const char* key, double preset,
                         bool zero_allowed) {
      const double value = section.number(key).value_or(preset);
      if (value < 0.0 || (value == 0.0 && !zero_allowed)) {
        section.fail(key,
                     fmt::format("is {}, expected {}", value,
                                 zero_allowed ? "0 or more" : "more than 0"));
      }
      return value;
    };
    if (kind == PipelineKind::kCommunity1) {
      result.threshold =
          read(clustering, "threshold", kCommunity1Threshold, true);
      result.Fa = read(clustering, "Fa", result.Fa, false);
      result.Fb = read(clustering, "Fb", result.Fb, false);
    } else {
      result.threshold =
          read(clustering, "threshold", kPyannote31Threshold, true);
      read_linkage(clustering, result);
    }
    clustering.finish();
    ConfigSection segmentation = params.section("segmentation");
    result.min_duration_off = read(segmentation, "min_duration_off", 0.0, true);
    segmentation.finish();
    params.finish();
    return result;
  }

  static void read_linkage(ConfigSection& clustering,
                           PyannoteParameters& result) {
    const std::string method = clustering.text("method").value_or("centroid");
    if (method != "centroid") {
      clustering.fail(
          "method",
          fmt::format("'{}' is not known, expected centroid", method));
    }
    result.min_cluster_size = clustering.integer("min_cluster_size")
                                  .value_or(result.min_cluster_size);
    if (result.min_cluster_size < 1) {
      clustering.fail(
          "min_cluster_size",
          fmt::format("is {}, expected 1 or more", result.min_cluster_size));
    }
  }

  // The checkpoint that a key names.
  fs::path checkpoint(ConfigSection& params, std::string_view key) {
    const std::string name = params.required_text(key);
    const fs::path path = locate(params, key, name, kCheckpointName);
    const fs::path file = is_folder(path) ? path / kCheckpointName : path;
    if (!is_file(file)) {
      params.fail(key, fmt::format("'{}' is missing", file.string()));
    }
    return file;
  }

  fs::path plda_folder(ConfigSection& params) {
    const std::string name = params.required_text("plda");
    const fs::path folder = locate(params, "plda", name, kPldaName);
    for (const std::string_view file : {kPldaName, kTransformName}) {
      if (is_file(folder / file)) continue;
      params.fail("plda",
                  fmt::format("'{}' is missing", (folder / file).string()));
    }
    return folder;
  }

  // The folder or file that a name means; it need not exist.
  fs::path locate(const ConfigSection& params, std::string_view key,
                  const std::string& name, std::string_view file) {
    constexpr std::string_view kBelow = "$model/";
    if (name.starts_with(kBelow)) {
      const std::string below = name.substr(kBelow.size());
      return directory_ / below.substr(0, below.find('@'));
    }
    const fs::path path(name);
    if (path.is_absolute()) return name;
    if (is_file(directory_ / path) || is_file(directory_ / path / file)) {
      return directory_ / path;
    }
    try {
      return find_model_folder(name, file, directory_, search_);
    } catch (const FatalError& error) {
      params.fail(key, error.what());
    }
  }

  const fs::path& directory_;
  const ModelSearch& search_;
  ConfigSection root_;
};

void verify(const fs::path& path, const std::string& expected) {
  if (expected.empty()) return;
  const std::string found = sha256_of_file(path);
  if (found != expected) {
    throw FatalError(
        fmt::format("{}: has SHA-256 {}, but config.yaml expects {}",
                    path.string(), found, expected));
  }
}

}  // namespace

std::string_view name_of(PipelineKind kind) {
  switch (kind) {
    case PipelineKind::kDefault:
      return "default";
    case PipelineKind::kCommunity1:
      return "pyannote community-1";
    case PipelineKind::kPyannote31:
      return "pyannote 3.1";
  }
  return "unknown";
}

ModelDirectory read_model_config(const fs::path& directory,
                                 const ModelSearch& search) {
  const fs::path path = directory / kConfigName;
  try {
    return ModelConfig(directory, search, load(path)).read();
  } catch (const FatalError& error) {
    throw FatalError(path.string() + ": " + one_line(error.what()));
  } catch (const YAML::Exception& error) {
    throw FatalError(path.string() + ": " + one_line(error.what()));
  }
}

ModelDirectory read_model_directory(const fs::path& directory,
                                    const ModelSearch& search) {
  ModelDirectory model = read_model_config(directory, search);
  verify(model.segmentation, model.segmentation_sha256);
  verify(model.embedding, model.embedding_sha256);
  return model;
}

}  // namespace diarize
