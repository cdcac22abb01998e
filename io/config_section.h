#pragma once

#include <yaml-cpp/yaml.h>

#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace diarize {

// A map in a YAML file of which every key must be asked for by name: finish()
// refuses the rest. So no setting is ever ignored in silence.
//
//   ConfigSection params(root, "params");
//   const double threshold = params.number("threshold").value_or(0.6);
//   params.ignore("batch_size");
//   params.finish();
//
// Errors are FatalError that name the key with all keys above it, as
// "params.clustering.Fa: expected a number, found 'much'". Only io's own
// sources include this header, so yaml-cpp stays out of the others.
class ConfigSection {
 public:
  // `path` names the section in messages, "" for the whole file. An absent
  // node is a section without keys. Throws if the node is no map or has a key
  // twice.
  ConfigSection(const YAML::Node& node, std::string path);

  [[nodiscard]] bool has(std::string_view key) const;

  // The value of a key; none if it is absent or null.
  [[nodiscard]] std::optional<std::string> text(std::string_view key);
  [[nodiscard]] std::optional<double> number(std::string_view key);
  [[nodiscard]] std::optional<int> integer(std::string_view key);
  [[nodiscard]] std::optional<bool> boolean(std::string_view key);

  // The same for a key that must be there.
  [[nodiscard]] std::string required_text(std::string_view key);

  // The map under a key; without keys if it is absent.
  [[nodiscard]] ConfigSection section(std::string_view key);

  // Accepts a key whose value, whatever it is, has no meaning here.
  void ignore(std::string_view key);

  // Throws naming the first key that was not asked for.
  void finish() const;

  // Throws with the path of the key in front.
  [[noreturn]] void fail(std::string_view key, std::string_view what) const;

 private:
  [[nodiscard]] std::optional<std::string> scalar(std::string_view key,
                                                  std::string_view expected);
  [[nodiscard]] std::string path_of(std::string_view key) const;

  YAML::Node node_;
  std::string path_;
  std::set<std::string, std::less<>> asked_;
};

}  // namespace diarize
