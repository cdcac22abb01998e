#include "cli/score.h"

#include "cli/score_report.h"

#include <CLI/CLI.hpp>

#include <cmath>
#include <ostream>
#include <string>

namespace diarize {
namespace {

std::string check_collar(const std::string& text) {
  double seconds = -1.0;
  if (CLI::detail::lexical_cast(text, seconds) && std::isfinite(seconds) &&
      seconds >= 0.0) {
    return {};
  }
  return "'" + text + "' is not a number of seconds, 0 or more";
}

void add_input_options(CLI::App& app, ScoreInputOptions& inputs) {
  const std::string group = "Input";
  app.add_option("--ref", inputs.references,
                 "References: RTTM files, or folders of *.rttm files; a file "
                 "may hold several recordings")
      ->type_name("PATH")
      ->required()
      ->expected(1, -1)
      ->group(group);
  app.add_option("--hyp", inputs.hypotheses,
                 "Hypotheses, likewise; paired with the references by file "
                 "id, an empty file by its name without suffix")
      ->type_name("PATH")
      ->required()
      ->expected(1, -1)
      ->group(group);
  app.add_flag("-r,--recursive", inputs.recursive,
               "Take the sub-folders of folders too")
      ->group(group);
  app.add_option("--uem", inputs.uem,
                 "Score only what this file lists (file id, channel, start, "
                 "end); without it from the first to the last turn of "
                 "reference and hypothesis")
      ->type_name("FILE")
      ->group(group);
}

void add_scoring_options(CLI::App& app, ScoreCommand& command) {
  const std::string group = "Scoring";
  app.add_option("--collar", command.scoring.collar,
                 "Seconds not scored on each side of every start and end of "
                 "a reference turn, as md-eval.pl counts them; "
                 "pyannote.metrics counts the total, so 0.25 here is "
                 "collar=0.5 there")
      ->type_name("S")
      ->check(CLI::Validator(check_collar, "", "collar"))
      ->capture_default_str()
      ->group(group);
  app.add_flag("--skip-overlap", command.scoring.skip_overlap,
               "Do not score where reference turns overlap")
      ->group(group);
  app.add_flag("--json", command.json,
               "JSON with seconds and rates in full precision in place of "
               "the table")
      ->group("Output");
}

}  // namespace

void add_score_options(CLI::App& app, ScoreCommand& command) {
  app.description(
      "Diarization error rate (DER: missed speech, false alarm, confusion) and "
      "Jaccard error rate (JER) of RTTM files, equal to pyannote.metrics.");
  add_input_options(app, command.inputs);
  add_scoring_options(app, command);
}

int run_score(const ScoreCommand& command, std::ostream& out,
              std::ostream& err) {
  const ScoreInputs inputs = read_score_inputs(command.inputs);
  if (!inputs.problems.empty()) {
    for (const std::string& problem : inputs.problems) {
      err << "diarize: " << problem << '\n';
    }
    return 1;
  }
  ScoreReport report{{}, command.scoring};
  for (const ScorePair& pair : inputs.pairs) {
    report.files.push_back(
        {pair.reference.file_id,
         score(pair.reference, pair.hypothesis, pair.uem, command.scoring)});
  }
  out << (command.json ? score_json(report) : score_table(report));
  out.flush();
  if (out) return 0;
  err << "diarize: standard output: cannot be written to its end\n";
  return 1;
}

}  // namespace diarize
