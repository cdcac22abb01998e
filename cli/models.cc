#include "cli/models.h"

#include "core/error.h"
#include "io/checkpoint.h"
#include "io/known_models.h"
#include "io/plda_file.h"
#include "io/sha256.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace diarize {

namespace fs = std::filesystem;

namespace {

constexpr const char* kConfigName = "config.yaml";
constexpr int kMaxLevels = 4;  // models--org--name/snapshots/REVISION

// A file of a pipeline and what it is there for.
struct NamedFile {
  std::string role;
  fs::path path;
};

std::vector<NamedFile> files_of(const ModelDirectory& model) {
  std::vector<NamedFile> files{{"config", model.directory / kConfigName},
                               {"segmentation", model.segmentation},
                               {"embedding", model.embedding}};
  if (model.plda) {
    files.push_back({"plda", *model.plda / "plda.npz"});
    files.push_back({"plda", *model.plda / "xvec_transform.npz"});
  }
  return files;
}

// Folders with a config.yaml, `folder` itself or below it.
void find_pipelines(const fs::path& folder, int levels,
                    std::vector<fs::path>& found) {
  std::error_code error;
  if (fs::is_regular_file(folder / kConfigName, error)) {
    found.push_back(folder);
    return;
  }
  if (levels == 0) return;
  std::vector<fs::path> inner;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_directory(ignored)) inner.push_back(entry->path());
  }
  std::ranges::sort(inner);
  for (const fs::path& path : inner) find_pipelines(path, levels - 1, found);
}

// A line about one pipeline; empty if it is one of another program, as the
// config.yaml of most models in a cache is.
std::string list_line(const fs::path& folder, const ModelSearch& search,
                      bool foreign_too) {
  try {
    return fmt::format("{:<22}{}\n",
                       name_of(read_model_config(folder, search).kind),
                       folder.string());
  } catch (const Error& error) {
    if (!foreign_too) return "";
    return fmt::format("{:<22}{}\n", "not usable", error.what());
  }
}

void list(const ModelsContext& context, const ModelSearch& search,
          std::ostream& out) {
  std::string text;
  for (const auto& [folders, foreign_too] :
       {std::pair(context.default_folders, true),
        std::pair(search.model_paths, true),
        std::pair(search.hub_caches, false)}) {
    for (const fs::path& folder : folders) {
      std::vector<fs::path> found;
      find_pipelines(folder, kMaxLevels, found);
      for (const fs::path& pipeline : found) {
        text += list_line(pipeline, search, foreign_too);
      }
    }
  }
  if (!text.empty()) {
    out << text;
    return;
  }
  out << "no pipeline found in:\n";
  for (const auto& folders :
       {context.default_folders, search.model_paths, search.hub_caches}) {
    for (const fs::path& folder : folders) {
      out << "  " << folder.string() << '\n';
    }
  }
}

std::string settings_of(const ModelDirectory& model) {
  const PyannoteParameters& p = model.parameters;
  switch (model.kind) {
    case PipelineKind::kDefault:
      return "";
    case PipelineKind::kCommunity1:
      return fmt::format(
          "settings      VBx clustering, threshold {}, Fa {}, Fb {}, "
          "min_duration_off {}, embedding_exclude_overlap {}\n",
          p.threshold, p.Fa, p.Fb, p.min_duration_off,
          p.embedding_exclude_overlap);
    case PipelineKind::kPyannote31:
      return fmt::format(
          "settings      agglomerative clustering, threshold {}, "
          "min_cluster_size {}, min_duration_off {}, "
          "embedding_exclude_overlap {}\n",
          p.threshold, p.min_cluster_size, p.min_duration_off,
          p.embedding_exclude_overlap);
  }
  return "";
}

// Lines about where a file comes from. A config.yaml of one's own is no news.
std::string origin_of(const NamedFile& file, const std::string& sha256) {
  const KnownModel* known = find_known_model(sha256);
  if (known != nullptr) {
    return fmt::format("  {:<12}{}\n  {:<12}licence {}, by {}\n", "",
                       known->origin, "", known->licence, known->attribution);
  }
  if (file.path.filename() == kConfigName) return "";
  return fmt::format("  {:<12}no published file that is known here\n", "");
}

// How many of the files are known by their bytes.
std::string published_of(const ModelDirectory& model) {
  const std::vector<NamedFile> files = files_of(model);
  const auto num_known = std::ranges::count_if(files, [](const auto& file) {
    return find_known_model(sha256_of_file(file.path)) != nullptr;
  });
  return fmt::format("config.yaml has none; {} of {} files are published ones",
                     num_known, files.size());
}

// What config.yaml demands of the file; empty if nothing.
std::string expected_sha256(const ModelDirectory& model, const fs::path& path) {
  if (path == model.segmentation) return model.segmentation_sha256;
  if (path == model.embedding) return model.embedding_sha256;
  return "";
}

void info(const ModelDirectory& model, std::ostream& out) {
  out << fmt::format("pipeline      {}\nfolder        {}\n{}",
                     name_of(model.kind), model.directory.string(),
                     settings_of(model));
  for (const NamedFile& file : files_of(model)) {
    const std::string found = sha256_of_file(file.path);
    const std::string expected = expected_sha256(model, file.path);
    out << fmt::format("{:<14}{}\n  {:<12}{} bytes, SHA-256 {}\n{}", file.role,
                       file.path.string(), "", fs::file_size(file.path), found,
                       origin_of(file, found));
    if (!expected.empty() && expected != found) {
      out << fmt::format("  {:<12}differs: config.yaml expects {}\n", "",
                         expected);
    }
  }
}

// Counts what goes wrong, and says it and what goes right.
class Checker {
 public:
  explicit Checker(std::ostream& out) : out_(out) {}

  // Runs a step, which returns what there is to say, and goes on after its
  // errors. True if there was none.
  bool step(std::string_view what, const std::function<std::string()>& run) {
    try {
      out_ << fmt::format("ok     {:<14}{}\n", what, run());
      return true;
    } catch (const Error& error) {
      out_ << fmt::format("wrong  {:<14}{}\n", what, error.what());
      all_right_ = false;
      return false;
    }
  }

  [[nodiscard]] bool all_right() const { return all_right_; }

 private:
  std::ostream& out_;
  bool all_right_ = true;
};

std::string check_checkpoint(const fs::path& path) {
  const Checkpoint checkpoint = read_checkpoint(path);
  return fmt::format("{}: {} tensors, {} values", path.string(),
                     checkpoint.weights.num_tensors(),
                     checkpoint.weights.num_values());
}

bool check(const fs::path& directory, const ModelSearch& search,
           const ModelsContext& context, std::ostream& out) {
  Checker checker(out);
  ModelDirectory model;
  if (!checker.step("config", [&] {
        model = read_model_config(directory, search);
        return fmt::format("{}: {}", (directory / kConfigName).string(),
                           name_of(model.kind));
      })) {
    return false;
  }
  bool whole = checker.step("checksums", [&] {
    (void)read_model_directory(directory, search);
    return model.kind == PipelineKind::kDefault ? "as config.yaml expects"
                                                : published_of(model);
  });
  whole &= checker.step("segmentation",
                        [&] { return check_checkpoint(model.segmentation); });
  whole &= checker.step("embedding",
                        [&] { return check_checkpoint(model.embedding); });
  if (model.plda) {
    whole &= checker.step("plda", [&] {
      (void)read_plda(*model.plda);
      return model.plda->string();
    });
  }
  if (whole && context.load) {
    checker.step("networks", [&] {
      context.load(model);
      return std::string("every tensor used once, with the shape expected");
    });
  }
  return checker.all_right();
}

void add_directory(CLI::App& command, ModelsCommand& result,
                   ModelsCommand::Action action) {
  command
      .add_option("DIR", result.directory,
                  "Folder of a pipeline, with its config.yaml")
      ->required();
  command.callback([&result, action] { result.action = action; });
}

void add_model_path(CLI::App& command, ModelsCommand& result) {
  command
      .add_option("--model-path", result.model_paths,
                  "Where models that a config.yaml names are looked for too")
      ->type_name("DIR")
      ->expected(1)
      ->take_all();
}

}  // namespace

void add_models_options(CLI::App& app, ModelsCommand& command) {
  app.description(
      "What models there are, what a folder holds and whether it is whole.");
  app.require_subcommand(0, 1);
  add_model_path(app, command);
  CLI::App* list = app.add_subcommand(
      "list", "Pipelines found, a line each: kind and folder");
  list->callback([&command] { command.action = ModelsCommand::Action::kList; });
  CLI::App* info = app.add_subcommand(
      "info", "What a folder holds: settings, files, SHA-256, licences");
  add_directory(*info, command, ModelsCommand::Action::kInfo);
  CLI::App* check = app.add_subcommand(
      "check", "Load everything in a folder; exit status 1 if that fails");
  add_directory(*check, command, ModelsCommand::Action::kCheck);
  for (CLI::App* inner : {list, info, check}) inner->fallthrough();
}

int run_models(const ModelsCommand& command, const ModelsContext& context,
               std::ostream& out) {
  const ModelSearch search{command.model_paths, context.hub_caches};
  switch (command.action) {
    case ModelsCommand::Action::kList:
      list(context, search, out);
      return 0;
    case ModelsCommand::Action::kInfo:
      info(read_model_config(command.directory, search), out);
      return 0;
    case ModelsCommand::Action::kCheck:
      return check(command.directory, search, context, out) ? 0 : 1;
  }
  return 0;
}

}  // namespace diarize
