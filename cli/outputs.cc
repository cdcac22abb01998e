#include "cli/outputs.h"

#include "core/error.h"
#include "io/atomic_file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <system_error>

namespace diarize {
namespace {

namespace fs = std::filesystem;

void make_folder_of(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) {
    throw InputError(fmt::format("the folder {} cannot be made: {}",
                                 path.parent_path().string(), error.message()));
  }
}

bool is_whole(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return false;
  if (path.extension() != ".json") return true;
  std::ifstream file(path);
  return nlohmann::json::accept(file);
}

}  // namespace

std::vector<fs::path> output_paths(const Job& job,
                                   const OutputOptions& options) {
  std::vector<fs::path> paths;
  if (options.output_dir.empty()) return paths;
  const fs::path stem = fs::path(options.output_dir) / job.output_stem;
  for (const std::string& format : options.formats) {
    paths.emplace_back(stem.string() + "." + format);
  }
  return paths;
}

std::string write_outputs(const Job& job, const OutputOptions& options,
                          FileDiarization diarization) {
  const Report report{job.input, job.file_id, std::move(diarization)};
  const std::vector<fs::path> paths = output_paths(job, options);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    make_folder_of(paths[i]);
    write_whole_file(
        paths[i], render_report(options.formats[i], report, options.exclusive));
  }
  return paths.empty()
             ? render_report(options.formats.front(), report, options.exclusive)
             : std::string();
}

bool are_outputs_whole(const Job& job, const OutputOptions& options) {
  const std::vector<fs::path> paths = output_paths(job, options);
  return !paths.empty() && std::all_of(paths.begin(), paths.end(), is_whole);
}

void refuse_overwriting(const std::vector<Job>& jobs, const Options& options) {
  // What is at each place, by its path without links and dots.
  std::map<fs::path, std::string> taken;
  const auto place = [](const fs::path& path) {
    std::error_code ignored;
    return fs::weakly_canonical(fs::absolute(path), ignored);
  };
  const auto write = [&](const fs::path& path, const std::string& what) {
    const auto [found, is_free] = taken.emplace(place(path), what);
    if (!is_free) {
      throw FatalError(fmt::format("{}: {} would be written over {}",
                                   path.string(), what, found->second));
    }
  };
  for (const Job& job : jobs) {
    if (!job.is_standard_input()) {
      taken.emplace(place(job.input), "the input " + job.input);
    }
  }
  for (const Job& job : jobs) {
    for (const fs::path& path : output_paths(job, options.output)) {
      write(path, "the output of " + job.input);
    }
  }
  const auto is_device = [](const std::string& path) {
    std::error_code ignored;
    return fs::exists(path, ignored) && !fs::is_regular_file(path, ignored);
  };
  const BatchOptions& batch = options.batch;
  if (!batch.manifest.empty() && !is_device(batch.manifest)) {
    write(batch.manifest, "the manifest");
  }
  if (!batch.profile.empty() && batch.profile != "true" &&
      !is_device(batch.profile)) {
    write(batch.profile, "the profile");
  }
}

void prepare_output_folders(const std::vector<Job>& jobs,
                            const OutputOptions& options) {
  if (options.output_dir.empty()) return;
  std::error_code error;
  fs::create_directories(options.output_dir, error);
  if (error) {
    throw FatalError(fmt::format("--output-dir: {} cannot be made: {}",
                                 options.output_dir, error.message()));
  }
  std::set<fs::path> folders;
  for (const Job& job : jobs) {
    folders.insert(options.output_dir / job.output_stem.parent_path());
  }
  for (const fs::path& folder : folders) sweep_left_overs(folder);
}

std::vector<std::string> speaker_warnings(const SpeakerRequest& request,
                                          const FileDiarization& found) {
  const std::optional<int> asked = request.num ? request.num : request.min;
  std::vector<std::string> warnings;
  for (std::size_t i = 0; asked && i < found.channels.size(); ++i) {
    const int num_found = found.channels[i].num_speakers;
    if (num_found >= *asked) continue;
    warnings.push_back(fmt::format(
        "{}{} speaker{} found where {} {} asked for by {}: there is not enough "
        "speech to tell more apart",
        found.by_channel ? fmt::format("channel {}: ", i + 1) : "", num_found,
        num_found == 1 ? "" : "s", *asked, *asked == 1 ? "was" : "were",
        request.num ? "--num-speakers" : "--min-speakers"));
  }
  return warnings;
}

}  // namespace diarize
