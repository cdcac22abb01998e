#include "cli/config_layers.h"

#include "core/error.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

namespace diarize {
namespace {

std::string with_dashes(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

// The long names that variables and files may set.
std::vector<const CLI::Option*> layered_options(const CLI::App& app) {
  std::vector<const CLI::Option*> result;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_lnames().empty() && option != app.get_help_ptr() &&
        option != app.get_version_ptr()) {
      result.push_back(option);
    }
  }
  return result;
}

[[noreturn]] void refuse_empty(const std::string& name) {
  throw FatalError(
      fmt::format("{}: nothing given after =, a value expected", name));
}

// Puts dashes into the name of a long option that `app` knows.
std::string with_known_name(const CLI::App& app, std::string argument) {
  const std::size_t end = std::min(argument.find('='), argument.size());
  const std::string name = with_dashes(argument.substr(0, end));
  if (app.get_option_no_throw(name) == nullptr) return argument;
  // CLI11 would take the next argument for the value.
  if (end + 1 == argument.size()) refuse_empty(name);
  return argument.replace(0, end, name);
}

void parse(CLI::App& app, std::vector<std::string> arguments) {
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes them
  app.parse(std::move(arguments));
}

// The values of each long name in a file.
using FileLayer = std::map<std::string, std::vector<std::string>>;

FileLayer read_config(const CLI::App& app, const std::string& section,
                      const std::string& path) {
  std::ifstream file(path);
  if (!file || std::filesystem::is_directory(path)) {
    throw FatalError(
        fmt::format("--config: {} cannot be read, a TOML file expected", path));
  }
  const std::vector<std::string> parents =
      section.empty() ? std::vector<std::string>{}
                      : std::vector<std::string>{section};
  FileLayer result;
  for (const CLI::ConfigItem& item : CLI::ConfigTOML().from_config(file)) {
    if (item.parents != parents || item.name == "--" || item.name == "++") {
      continue;
    }
    const std::string name = with_dashes(item.name);
    if (name == "config" || app.get_option_no_throw("--" + name) == nullptr) {
      throw FatalError(
          fmt::format("--config: {}: \"{}\" is no option", path, item.name));
    }
    result[name] = item.inputs;
  }
  return result;
}

// What the layer below the command line says, as arguments.
class Layers {
 public:
  Layers(std::string section, const Environment& environment)
      : section_(std::move(section)), environment_(environment) {}

  void read_file(const CLI::App& app, const std::string& path) {
    file_ = read_config(app, section_, path);
  }

  // The variable's value, else the file's; none if neither is there.
  [[nodiscard]] std::vector<std::string> values(const std::string& name) const {
    const auto value = environment_(variable_name(section_, name));
    if (value && !value->empty()) return {*value};
    const auto found = file_.find(name);
    return found == file_.end() ? std::vector<std::string>{} : found->second;
  }

 private:
  std::string section_;
  const Environment& environment_;
  FileLayer file_;
};

}  // namespace

std::optional<std::string> process_environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
}

std::string variable_name(const std::string& section,
                          const std::string& long_name) {
  std::string name = "DIARIZE_" + (section.empty() ? "" : section + "_");
  name += long_name;
  for (char& letter : name) {
    letter = letter == '-' ? '_'
                           : static_cast<char>(std::toupper(
                                 static_cast<unsigned char>(letter)));
  }
  return name;
}

std::vector<std::string> normalised_arguments(
    const CLI::App& app, std::vector<std::string> arguments) {
  bool names_end = false;
  for (std::string& argument : arguments) {
    names_end = names_end || argument == "--";
    if (argument.starts_with('[') && argument.ends_with(']')) {
      argument.insert(0, "./");
    } else if (!names_end && argument.starts_with("--")) {
      argument = with_known_name(app, std::move(argument));
    }
  }
  return arguments;
}

void parse_layered(CLI::App& app, const std::string& section,
                   const std::vector<std::string>& arguments,
                   const Environment& environment) {
  std::string config;
  app.add_option("--config", config,
                 fmt::format("TOML file with options; a flag wins over its "
                             "variable ({}), the variable over the file",
                             variable_name(section, "...")))
      ->type_name("FILE");
  const std::vector<std::string> given = normalised_arguments(app, arguments);
  parse(app, given);

  Layers layers(section, environment);
  if (config.empty()) {
    for (const std::string& value : layers.values("config")) config = value;
  }
  if (!config.empty()) layers.read_file(app, config);
  std::vector<std::string> all;
  for (const CLI::Option* option : layered_options(app)) {
    if (option->count() > 0) continue;
    for (const std::string& name : option->get_lnames()) {
      for (const std::string& value : layers.values(name)) {
        if (name == "config") continue;
        if (value.empty()) refuse_empty("--" + name);
        all.push_back("--" + name + "=" + value);
      }
    }
  }
  if (all.empty()) return;
  all.insert(all.end(), given.begin(), given.end());
  parse(app, all);
}

}  // namespace diarize
