#include "cli/inputs.h"

#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <istream>
#include <map>
#include <string_view>

namespace diarize {
namespace {

namespace fs = std::filesystem;

// What libsndfile reads, and the containers of audio that are common beside.
constexpr std::array kAudioSuffixes = {".aac", ".aif", ".aifc", ".aiff", ".amr",
                                       ".au",  ".caf", ".flac", ".m4a",  ".mp3",
                                       ".oga", ".ogg", ".opus", ".rf64", ".snd",
                                       ".w64", ".wav", ".wave", ".wma"};

// The white space of Unicode beyond ASCII, in UTF-8.
constexpr std::array<std::string_view, 19> kUnicodeSpaces = {
    "\u0085", "\u00a0", "\u1680", "\u2000", "\u2001", "\u2002", "\u2003",
    "\u2004", "\u2005", "\u2006", "\u2007", "\u2008", "\u2009", "\u200a",
    "\u2028", "\u2029", "\u202f", "\u205f", "\u3000"};

// Bytes of the white-space character at the start of `text`; 0 if none.
std::size_t leading_space(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  if (std::isspace(first) != 0 || (first >= 0x1c && first <= 0x1f)) return 1;
  for (const std::string_view space : kUnicodeSpaces) {
    if (text.starts_with(space)) return space.size();
  }
  return 0;
}

Job make_job(const std::string& input, const fs::path& folder_in_output) {
  const std::string stem =
      input == "-" ? "stdin" : fs::path(input).stem().string();
  return {input, file_id_of(stem), folder_in_output / stem};
}

bool is_wanted(const fs::directory_entry& entry) {
  const std::string name = entry.path().filename().string();
  std::error_code ignored;
  return !name.starts_with('.') && !entry.is_directory(ignored) &&
         has_audio_suffix(entry.path());
}

template <typename Iterator>
std::vector<fs::path> audio_files(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> files;
  for (Iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    if (is_wanted(*at)) files.push_back(at->path());
  }
  if (error) {
    throw FatalError(fmt::format("{}: the folder cannot be read: {}",
                                 folder.string(), error.message()));
  }
  std::sort(files.begin(), files.end());
  return files;
}

void add_folder(const std::string& name, bool recursive, Inputs& inputs) {
  const fs::path folder(name);
  const std::vector<fs::path> files =
      recursive ? audio_files<fs::recursive_directory_iterator>(folder)
                : audio_files<fs::directory_iterator>(folder);
  for (const fs::path& file : files) {
    const fs::path below = file.parent_path().lexically_relative(folder);
    inputs.jobs.push_back(
        make_job(file.string(), below == "." ? fs::path() : below));
  }
  if (files.empty()) {
    inputs.warnings.push_back(
        fmt::format("{}: no audio files in this folder{}", name,
                    recursive ? "" : " (-r looks into its sub-folders)"));
  }
}

void add_path(const std::string& name, bool recursive, Inputs& inputs) {
  std::error_code ignored;
  if (name != "-" && fs::is_directory(name, ignored)) {
    add_folder(name, recursive, inputs);
  } else {
    inputs.jobs.push_back(make_job(name, {}));
  }
}

std::vector<std::string> lines_of(std::istream& list) {
  std::vector<std::string> lines;
  for (std::string line; std::getline(list, line);) {
    if (line.ends_with('\r')) line.pop_back();
    if (!line.empty() && line.front() != '#') lines.push_back(line);
  }
  return lines;
}

std::vector<std::string> read_list(const std::string& name,
                                   std::istream& standard_input) {
  if (name == "-") return lines_of(standard_input);
  std::ifstream list(name);
  if (!list || fs::is_directory(name)) {
    throw FatalError(fmt::format(
        "--input-list: {} cannot be read, a file with a path a line expected",
        name));
  }
  return lines_of(list);
}

}  // namespace

std::string file_id_of(const std::string& stem) {
  std::string id;
  for (std::string_view rest = stem; !rest.empty();) {
    const std::size_t space = leading_space(rest);
    id += space > 0 ? '_' : rest.front();
    rest.remove_prefix(std::max<std::size_t>(space, 1));
  }
  return id;
}

bool has_audio_suffix(const fs::path& path) {
  std::string suffix = path.extension().string();
  for (char& letter : suffix) {
    letter =
        static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return std::find(kAudioSuffixes.begin(), kAudioSuffixes.end(), suffix) !=
         kAudioSuffixes.end();
}

Inputs find_inputs(const InputOptions& options, std::istream& standard_input) {
  if (options.audio.empty() && options.input_list.empty()) {
    throw FatalError(
        "no audio given: files, folders, - or --input-list expected (see "
        "diarize --help)");
  }
  std::vector<std::string> names = options.audio;
  if (!options.input_list.empty()) {
    const auto listed = read_list(options.input_list, standard_input);
    names.insert(names.end(), listed.begin(), listed.end());
  }
  if (std::ranges::find(names, "") != names.end()) {
    throw FatalError(
        "AUDIO: an empty name given, a file, a folder or - expected");
  }
  const auto readers = std::count(names.begin(), names.end(), "-") +
                       (options.input_list == "-" ? 1 : 0);
  if (readers > 1) {
    throw FatalError("-: standard input is named twice, once expected");
  }
  Inputs inputs;
  for (const std::string& name : names) {
    add_path(name, options.recursive, inputs);
  }
  return inputs;
}

void refuse_collisions(const std::vector<Job>& jobs, bool has_output_dir) {
  std::map<std::string, const Job*> owners;
  for (const Job& job : jobs) {
    const std::string name = has_output_dir
                                 ? job.output_stem.lexically_normal().string()
                                 : job.file_id;
    const auto [owner, is_new] = owners.emplace(name, &job);
    if (is_new) continue;
    throw FatalError(fmt::format(
        "{} and {}: both would be written as \"{}\"; nothing was started "
        "(rename one, or use one output folder for each)",
        owner->second->input, job.input, name));
  }
}

}  // namespace diarize
