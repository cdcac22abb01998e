#pragma once

#include "io/model_search.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace diarize {

// The pipelines that a directory can hold.
enum class PipelineKind {
  kDefault,     // segmentation-3.0 and CAM++, our own recipe
  kCommunity1,  // pyannote's with PLDA and VBx clustering
  kPyannote31,  // pyannote's with agglomerative clustering
};

// What users call it, such as "pyannote 3.1".
[[nodiscard]] std::string_view name_of(PipelineKind kind);

// The settings of pyannote's pipelines. Each default is that of the pipeline
// published, in its config.yaml; `threshold` has one for each kind.
struct PyannoteParameters {
  // Distance of unit vectors, 0 or more, within which embeddings are of one
  // speaker.
  double threshold = 0.6;
  double Fa = 0.07;           // of VBx, positive
  double Fb = 0.8;            // of VBx, positive
  int min_cluster_size = 12;  // of agglomerative clustering, embeddings
  // Gaps of a speaker that are shorter are filled, s.
  double min_duration_off = 0.0;
  // Whether embeddings leave out frames in which others speak too.
  bool embedding_exclude_overlap = false;
  // Distance of the chunks, s: `segmentation_step` of their 10 s.
  double step = 1.0;
};

// What a pipeline directory says of itself in its config.yaml, all of it
// understood and the files found. Nothing of the files is loaded yet.
struct ModelDirectory {
  PipelineKind kind = PipelineKind::kDefault;
  std::filesystem::path directory;
  std::filesystem::path segmentation;  // checkpoint
  std::filesystem::path embedding;     // checkpoint
  // SHA-256 that config.yaml demands; only of the default kind.
  std::string segmentation_sha256;
  std::string embedding_sha256;
  // Folder with plda.npz and xvec_transform.npz; of community-1.
  std::optional<std::filesystem::path> plda;
  PyannoteParameters parameters;  // meaningless for the default kind
};

// Reads `config.yaml` of a directory: of the default set, whose name there is
// `diarize.Default`, or of pyannote's `SpeakerDiarization` as community-1 and
// 3.1 have it. Models are named by `$model/FOLDER` (below the directory), by a
// path of a folder or file, or as on Hugging Face (see find_model_folder);
// `@revision` may follow the first and the last.
//
// Every key is used, or is one of those that say nothing about the result
// (versions, batch sizes, tokens); any other is an error, so nothing in the
// file is passed over in silence. Where config.yaml demands a SHA-256, the
// file must have it, so a partial or changed download is found.
//
// Throws FatalError, in one line that begins with the path of config.yaml and
// names the key, what was expected and what was found, or the file and both
// digests. Cost: reads the files that have a SHA-256 once (34 MB of the default
// set: about 30 ms where the CPU has instructions for it).
[[nodiscard]] ModelDirectory read_model_directory(
    const std::filesystem::path& directory, const ModelSearch& search = {});

// The same without a look at the bytes of the models.
[[nodiscard]] ModelDirectory read_model_config(
    const std::filesystem::path& directory, const ModelSearch& search = {});

}  // namespace diarize
