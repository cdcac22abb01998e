#include "cli/score_inputs.h"

#include "core/error.h"
#include "io/columns.h"
#include "io/rttm.h"
#include "io/uem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <utility>

namespace diarize {
namespace {

namespace fs = std::filesystem;

struct Source {
  Annotation annotation;
  fs::path path;  // where it was read
};

// One side, by file id.
using Sources = std::map<std::string, Source>;

// The RTTM files of a folder, sorted.
template <typename Iterator>
std::vector<fs::path> rttm_files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : Iterator(folder)) {
    if (entry.path().extension() == ".rttm" && !entry.is_directory()) {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

std::vector<fs::path> files_at(const fs::path& path, bool recursive) {
  if (!fs::is_directory(path)) return {path};
  std::vector<fs::path> files =
      recursive ? rttm_files<fs::recursive_directory_iterator>(path)
                : rttm_files<fs::directory_iterator>(path);
  if (files.empty()) throw InputError("holds no *.rttm file, expected some");
  return files;
}

std::string file_id_of(const fs::path& path) {
  std::string file_id = path.stem().string();
  std::ranges::replace_if(
      file_id, [](unsigned char c) { return std::isspace(c) != 0; }, '_');
  return file_id;
}

std::vector<Annotation> read_annotations(const fs::path& path) {
  std::vector<Annotation> annotations = parse_rttm(read_text_file(path));
  if (annotations.empty()) annotations.push_back({file_id_of(path), {}});
  return annotations;
}

// Reads and pairs, and goes on after a problem, so that all are named.
class Reader {
 public:
  [[nodiscard]] Sources read_side(const std::vector<fs::path>& paths,
                                  bool recursive) {
    Sources sources;
    for (const fs::path& path : paths) {
      attempt(path, [&] {
        for (const fs::path& file : files_at(path, recursive)) {
          attempt(file, [&] { add_file(file, sources); });
        }
      });
    }
    return sources;
  }

  [[nodiscard]] std::optional<Uem> read_uem(
      const std::optional<fs::path>& path) {
    std::optional<Uem> uem;
    if (path) attempt(*path, [&] { uem = parse_uem(read_text_file(*path)); });
    return uem;
  }

  // Names what of `sources` is not in `others`.
  void require_partners(const Sources& sources, const Sources& others,
                        std::string_view missing) {
    for (const auto& [file_id, source] : sources) {
      if (others.contains(file_id)) continue;
      add_problem(source.path,
                  fmt::format("no {} has its file id '{}'", missing, file_id));
    }
  }

  void require_in_uem(const Sources& sources, const Uem& uem,
                      const fs::path& path) {
    for (const auto& [file_id, source] : sources) {
      if (uem.contains(file_id)) continue;
      add_problem(path, fmt::format("no line for file id '{}' of {}", file_id,
                                    source.path.string()));
    }
  }

  [[nodiscard]] const std::vector<std::string>& problems() const {
    return problems_;
  }

 private:
  // The one place where a file's fault gets its path, as in the batch.
  template <typename Work>
  void attempt(const fs::path& path, const Work& work) {
    try {
      work();
    } catch (const InputError& error) {
      add_problem(path, error.what());
    } catch (const fs::filesystem_error& error) {
      add_problem(path, error.code().message());
    }
  }

  void add_problem(const fs::path& path, std::string_view problem) {
    problems_.push_back(fmt::format("{}: {}", path.string(), problem));
  }

  void add_file(const fs::path& file, Sources& sources) {
    for (Annotation& annotation : read_annotations(file)) {
      const std::string file_id = annotation.file_id;
      const auto [place, is_new] =
          sources.try_emplace(file_id, Source{std::move(annotation), file});
      if (!is_new) {
        add_problem(file,
                    fmt::format("file id '{}' is in {} too, expected it once",
                                file_id, place->second.path.string()));
      }
    }
  }

  std::vector<std::string> problems_;
};

std::vector<ScorePair> pairs_of(Sources references, Sources hypotheses,
                                const std::optional<Uem>& uem) {
  std::vector<ScorePair> pairs;
  for (auto& [file_id, reference] : references) {
    ScorePair pair{std::move(reference.annotation),
                   std::move(hypotheses.at(file_id).annotation), std::nullopt};
    if (uem) pair.uem = uem->at(file_id);
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

}  // namespace

ScoreInputs read_score_inputs(const ScoreInputOptions& options) {
  Reader reader;
  Sources references = reader.read_side(options.references, options.recursive);
  Sources hypotheses = reader.read_side(options.hypotheses, options.recursive);
  const std::optional<Uem> uem = reader.read_uem(options.uem);
  if (reader.problems().empty()) {
    reader.require_partners(references, hypotheses, "hypothesis");
    reader.require_partners(hypotheses, references, "reference");
    if (uem) reader.require_in_uem(references, *uem, *options.uem);
  }
  if (!reader.problems().empty()) return {{}, reader.problems()};
  return {pairs_of(std::move(references), std::move(hypotheses), uem), {}};
}

}  // namespace diarize
