#pragma once

#include "core/scoring.h"

#include <string>
#include <vector>

namespace diarize {

// The score of one recording.
struct FileScore {
  std::string file_id;
  Score score;
};

// All scores of one run, in the order they are shown.
struct ScoreReport {
  std::vector<FileScore> files;
  ScoringOptions options;
};

// The seconds and speakers of all files added up.
[[nodiscard]] Score pooled_score(const ScoreReport& report);

// Lines of columns for reading: file id, DER and what it is made of and JER in
// percent with two decimals, and the reference's speaker time in seconds. One
// line a file; the last is the pooled one.
[[nodiscard]] std::string score_table(const ScoreReport& report);

// The same as one line of JSON, numbers in full precision:
//
//   {"collar": 0.0, "skip_overlap": false, "files": [FILE...],
//    "pooled": SCORE}
//
// SCORE has `missed`, `false_alarm`, `confusion` and `total` in seconds of
// speaker time; `der`, `missed_rate`, `false_alarm_rate`, `confusion_rate` and
// `jer`, where 1 is all; `speakers` of the reference and `speaker_error`, the
// sum of their Jaccard errors. FILE is a SCORE with `file_id`.
[[nodiscard]] std::string score_json(const ScoreReport& report);

}  // namespace diarize
