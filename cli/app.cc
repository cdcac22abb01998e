#include "cli/app.h"

#include "cli/config_layers.h"
#include "cli/console.h"
#include "cli/model_lookup.h"
#include "cli/models.h"
#include "cli/options.h"
#include "cli/pipeline.h"
#include "cli/score.h"
#include "cli/version.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <ostream>

namespace diarize {
namespace {

constexpr const char* kDescription =
    "Says who spoke when, one RTTM per recording.";

constexpr const char* kFooter =
    "\nOther commands (their own --help says more):\n"
    "  diarize score --ref PATH... --hyp PATH...   DER and JER of RTTM files\n"
    "  diarize models [list|info DIR|check DIR]    models found, and whether "
    "whole\n"
    "Files of these names are ./score and ./models.\n"
    "\nEvery option can also come from a DIARIZE_... variable "
    "(DIARIZE_NUM_SPEAKERS=2)\nor a file named by --config. Exit status: 0 "
    "all done, 1 some file failed,\n2 nothing was started.";

using Arguments = std::vector<std::string>;

ExitStatus main_command(CLI::App& app, const Arguments& arguments,
                        const Surroundings& surroundings,
                        const ModelAccess& model) {
  Options options;
  app.footer(kFooter);
  // The flag is acted upon before all others are known.
  const bool verbose = std::ranges::any_of(arguments, [](const auto& argument) {
    return argument == "-v" || argument == "--verbose";
  });
  app.set_version_flag(
      "--version", verbose ? version_text() + sandbox_text() : version_text(),
      "Versions of the program and its libraries; with -v "
      "also what decoder processes may do");
  add_options(app, options);
  parse_layered(app, "", arguments, surroundings.environment);
  validate(options);
  return run_main_job(options, surroundings, model);
}

ExitStatus score_command(CLI::App& app, const Arguments& arguments,
                         const Surroundings& surroundings) {
  ScoreCommand command;
  add_score_options(app, command);
  parse_layered(app, "score", arguments, surroundings.environment);
  return static_cast<ExitStatus>(
      run_score(command, surroundings.output, surroundings.errors));
}

// Loads as for use, to see whether it can be.
void load_all(const ModelDirectory& model) {
  (void)load_pipeline(model, {}, {});
}

ExitStatus models_command(CLI::App& app, const Arguments& arguments,
                          const Surroundings& surroundings) {
  ModelsCommand command;
  add_models_options(app, command);
  parse_layered(app, "models", arguments, surroundings.environment);
  ModelsContext context;
  context.default_folders = default_model_folders(program_folder());
  if (const auto named = surroundings.environment("DIARIZE_MODEL")) {
    context.default_folders.insert(context.default_folders.begin(), *named);
  }
  context.hub_caches = hub_caches(surroundings.environment);
  context.load = load_all;
  return static_cast<ExitStatus>(
      run_models(command, context, surroundings.output));
}

// What CLI11 says, with a value that is no number told as our own options do.
std::string message_of(const CLI::App& app, const CLI::ParseError& error) {
  std::string text = error.what();
  const std::string before = "Could not convert: ";
  const std::size_t equals = text.find(" = ");
  if (!text.starts_with(before) || equals == std::string::npos) return text;
  const std::string name = text.substr(before.size(), equals - before.size());
  const CLI::Option* option = app.get_option_no_throw(name);
  const bool is_count =
      option != nullptr && option->get_type_name().starts_with("N");
  return name + ": " + text.substr(equals + 3) + " given, a " +
         (is_count ? "whole number" : "number") + " expected";
}

// Help and version go to standard output with 0; CLI11's own codes, 100 and
// up, are wrong usage here.
ExitStatus end_of_parse(const CLI::App& app, const CLI::ParseError& error,
                        const Surroundings& surroundings) {
  if (error.get_exit_code() == 0) {
    app.exit(error, surroundings.output, surroundings.errors);
    return ExitStatus::kAllDone;
  }
  surroundings.errors << "diarize: " << message_of(app, error) << " (see "
                      << app.get_name() << " --help)\n";
  return ExitStatus::kNothingStarted;
}

ExitStatus run_command(const Arguments& arguments,
                       const Surroundings& surroundings,
                       const ModelAccess& model) {
  const std::string name = arguments.empty() ? "" : arguments.front();
  const bool is_main = name != "score" && name != "models";
  const Arguments rest(arguments.begin() + (is_main ? 0 : 1), arguments.end());
  CLI::App app(kDescription, is_main ? "diarize" : "diarize " + name);
  try {
    if (is_main) return main_command(app, rest, surroundings, model);
    return name == "score" ? score_command(app, rest, surroundings)
                           : models_command(app, rest, surroundings);
  } catch (const CLI::ParseError& error) {
    return end_of_parse(app, error, surroundings);
  }
}

}  // namespace

int run_program(const std::vector<std::string>& arguments,
                const Surroundings& surroundings, const ModelAccess& model) {
  ExitStatus status = ExitStatus::kNothingStarted;
  try {
    status = run_command(arguments, surroundings, model);
  } catch (const std::exception& error) {
    surroundings.errors << "diarize: " << printable(error.what()) << '\n';
  }
  return static_cast<int>(status);
}

}  // namespace diarize
