#pragma once

#include "core/annotation.h"
#include "core/spans.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace diarize {

// Where references, hypotheses and what is to be scored are read from.
struct ScoreInputOptions {
  // RTTM files, or folders whose *.rttm files are meant.
  std::vector<std::filesystem::path> references;
  std::vector<std::filesystem::path> hypotheses;
  bool recursive = false;                    // sub-folders too
  std::optional<std::filesystem::path> uem;  // none: all is scored
};

// A recording to score.
struct ScorePair {
  Annotation reference;
  Annotation hypothesis;
  std::optional<Spans> uem;  // none: the extent of both annotations
};

// Either pairs or problems; pairs of a part of the files would make a pooled
// figure that looks like that of all.
struct ScoreInputs {
  std::vector<ScorePair> pairs;       // by file id
  std::vector<std::string> problems;  // one line each, a path in front
};

// Reads all and pairs references with hypotheses by file id. A file without
// any line is an annotation without turns whose file id is its stem with white
// space replaced by `_`, which is what the main job writes for silence.
//
// Problems are: a file that cannot be read, a folder without RTTM, a file id
// in two files of one side or in one side only, and one that the UEM file
// leaves out. Nothing is skipped.
[[nodiscard]] ScoreInputs read_score_inputs(const ScoreInputOptions& options);

}  // namespace diarize
