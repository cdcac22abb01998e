#include "io/model_search.h"

#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <system_error>
#include <utility>

namespace diarize {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kMainRevision = "main";

// `org/name@revision` taken apart.
struct HubName {
  std::string org;
  std::string name;
  std::string revision;  // empty if none is asked for
};

HubName parse(std::string_view text) {
  HubName result;
  const std::size_t at = text.find('@');
  if (at != std::string_view::npos) result.revision = text.substr(at + 1);
  const std::string_view path = text.substr(0, at);
  const std::size_t slash = path.find('/');
  if (slash == std::string_view::npos || slash == 0 ||
      slash + 1 == path.size() || path.find('/', slash + 1) != path.npos ||
      path.find("..") != path.npos || result.revision.find('/') != text.npos) {
    throw FatalError(fmt::format(
        "'{}' is neither a folder nor a name such as pyannote/segmentation-3.0",
        text));
  }
  result.org = path.substr(0, slash);
  result.name = path.substr(slash + 1);
  return result;
}

bool holds(const fs::path& folder, std::string_view file) {
  std::error_code ignored;
  return fs::is_regular_file(folder / file, ignored);
}

std::string first_word(const fs::path& path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
}

// The snapshots of one model in a cache that hold the file, best first.
std::vector<fs::path> snapshots(const fs::path& model, const HubName& wanted,
                                std::string_view file) {
  const std::string reference =
      wanted.revision.empty() ? std::string(kMainRevision) : wanted.revision;
  std::string revision = first_word(model / "refs" / reference);
  if (revision.empty() || revision.find('/') != revision.npos) {
    revision = reference;
  }
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(model / "snapshots", error), end;
       !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!wanted.revision.empty() && name != revision) continue;
    if (holds(entry->path(), file)) found.push_back(entry->path());
  }
  std::ranges::sort(found, std::greater(), [&revision](const fs::path& path) {
    return std::pair(path.filename() == revision, path);
  });
  return found;
}

std::optional<fs::path> look_in(const fs::path& folder, const HubName& wanted,
                                std::string_view file) {
  const std::string model =
      fmt::format("models--{}--{}", wanted.org, wanted.name);
  const auto cached = snapshots(folder / model, wanted, file);
  if (!cached.empty()) return cached.front();
  if (holds(folder / wanted.org / wanted.name, file)) {
    return folder / wanted.org / wanted.name;
  }
  if (holds(folder / wanted.name, file)) return folder / wanted.name;
  return std::nullopt;
}

}  // namespace

std::vector<fs::path> hub_caches(
    const std::function<std::optional<std::string>(const std::string&)>&
        variable) {
  const auto value = [&variable](const std::string& name) {
    return fs::path(variable(name).value_or(""));
  };
  if (const fs::path cache = value("HF_HUB_CACHE"); !cache.empty()) {
    return {cache};
  }
  if (const fs::path home = value("HF_HOME"); !home.empty()) {
    return {home / "hub"};
  }
  if (const fs::path home = value("HOME"); !home.empty()) {
    return {home / ".cache" / "huggingface" / "hub"};
  }
  return {};
}

fs::path find_model_folder(std::string_view name, std::string_view file,
                           const fs::path& beside, const ModelSearch& search) {
  const HubName wanted = parse(name);
  const fs::path above = fs::absolute(beside / "x").parent_path().parent_path();
  std::vector<fs::path> places{beside, above};
  if (above.filename() == "snapshots") {
    places.push_back(above.parent_path().parent_path());
  }
  places.insert(places.end(), search.model_paths.begin(),
                search.model_paths.end());
  places.insert(places.end(), search.hub_caches.begin(),
                search.hub_caches.end());
  std::string looked_in;
  for (const fs::path& place : places) {
    if (const auto found = look_in(place, wanted, file)) return *found;
    if (!looked_in.empty()) looked_in += ", ";
    looked_in += place.string();
  }
  throw FatalError(fmt::format("the model '{}' with its {} was not found in {}",
                               name, file, looked_in));
}

}  // namespace diarize
