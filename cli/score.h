#pragma once

#include "cli/score_inputs.h"
#include "core/scoring.h"

#include <iosfwd>

namespace CLI {  // NOLINT(readability-identifier-naming): of CLI11
class App;
}

namespace diarize {

// What `diarize score` is asked for.
struct ScoreCommand {
  ScoreInputOptions inputs;
  ScoringOptions scoring;
  bool json = false;
};

// Adds the options of `diarize score` to `app`, its own or a sub-command of the
// program's. Parsing fills `command`, which has to live as long as `app`.
void add_score_options(CLI::App& app, ScoreCommand& command);

// Scores, and writes a table or JSON to `out`. Returns the exit status: 0, or
// 1 after a line on `err` for everything that keeps the files from being
// scored; `out` then gets nothing.
[[nodiscard]] int run_score(const ScoreCommand& command, std::ostream& out,
                            std::ostream& err);

}  // namespace diarize
