#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): of CLI11
class App;
}

namespace diarize {

// Where an option comes from: the command line, else an environment variable,
// else the file of --config, else its default. CLI11 2.1 lets the file win
// over the variable and knows no `_` for `-`, so both are done here.

// The value of an environment variable, none if it is not set.
using Environment =
    std::function<std::optional<std::string>(const std::string& name)>;

// The environment of this process.
[[nodiscard]] std::optional<std::string> process_environment(
    const std::string& name);

// The variable of a long option: `DIARIZE_` and its name in capitals, `_` for
// `-`; that of a sub-command has its name between (`DIARIZE_SCORE_COLLAR`).
[[nodiscard]] std::string variable_name(const std::string& section,
                                        const std::string& long_name);

// Arguments with `-` for `_` in every long option that `app` knows. What
// follows `--` stays, and so do values. A name like `[a]`, which CLI11 would
// take for a list, becomes `./[a]`.
[[nodiscard]] std::vector<std::string> normalised_arguments(
    const CLI::App& app, std::vector<std::string> arguments);

// Parses the arguments (without the program's name) into what is bound to
// `app`, with the layers below them.
//
// section: of the sub-command, empty for the main job; which section of the
// file counts, and part of the variables' names.
// Adds the option --config to `app`. Throws CLI::ParseError for wrong usage,
// --help and --version, FatalError for a file that cannot be read or names
// what is no option.
void parse_layered(CLI::App& app, const std::string& section,
                   const std::vector<std::string>& arguments,
                   const Environment& environment);

}  // namespace diarize
