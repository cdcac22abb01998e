#include "io/config_section.h"

#include "core/error.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <utility>

namespace diarize {

ConfigSection::ConfigSection(const YAML::Node& node, std::string path)
    : node_(node), path_(std::move(path)) {
  if (!node_ || node_.IsNull()) {
    node_.reset(YAML::Node(YAML::NodeType::Map));
    return;
  }
  if (!node_.IsMap()) {
    throw FatalError(path_.empty() ? "expected keys with values"
                                   : path_ + ": expected keys with values");
  }
  std::set<std::string> keys;
  for (const auto& item : node_) {
    if (!item.first.IsScalar()) {
      throw FatalError(path_of("?") + ": expected a plain word as the key");
    }
    if (!keys.insert(item.first.Scalar()).second) {
      fail(item.first.Scalar(), "is there twice");
    }
  }
}

bool ConfigSection::has(std::string_view key) const {
  return static_cast<bool>(node_[std::string(key)]);
}

std::optional<std::string> ConfigSection::scalar(std::string_view key,
                                                 std::string_view expected) {
  asked_.emplace(key);
  const YAML::Node value = std::as_const(node_)[std::string(key)];
  if (!value || value.IsNull()) return std::nullopt;
  if (!value.IsScalar()) {
    fail(key, fmt::format("expected {}, found {}", expected,
                          value.IsMap() ? "a map" : "a list"));
  }
  return value.Scalar();
}

std::optional<std::string> ConfigSection::text(std::string_view key) {
  return scalar(key, "a word");
}

std::optional<double> ConfigSection::number(std::string_view key) {
  const std::optional<std::string> found = scalar(key, "a number");
  if (!found) return std::nullopt;
  double value = 0.0;
  const char* end = found->data() + found->size();
  const auto [rest, error] = std::from_chars(found->data(), end, value);
  if (error != std::errc() || rest != end || !std::isfinite(value)) {
    fail(key, fmt::format("expected a number, found '{}'", *found));
  }
  return value;
}

std::optional<int> ConfigSection::integer(std::string_view key) {
  const std::optional<std::string> found = scalar(key, "an integer");
  if (!found) return std::nullopt;
  int value = 0;
  const char* end = found->data() + found->size();
  const auto [rest, error] = std::from_chars(found->data(), end, value);
  if (error != std::errc() || rest != end) {
    fail(key, fmt::format("expected an integer, found '{}'", *found));
  }
  return value;
}

std::optional<bool> ConfigSection::boolean(std::string_view key) {
  const std::optional<std::string> found = scalar(key, "true or false");
  if (!found) return std::nullopt;
  if (*found == "true" || *found == "True") return true;
  if (*found == "false" || *found == "False") return false;
  fail(key, fmt::format("expected true or false, found '{}'", *found));
}

std::string ConfigSection::required_text(std::string_view key) {
  std::optional<std::string> found = text(key);
  if (!found) fail(key, "is missing");
  return std::move(*found);
}

ConfigSection ConfigSection::section(std::string_view key) {
  asked_.emplace(key);
  const YAML::Node inner = std::as_const(node_)[std::string(key)];
  return {inner ? inner : YAML::Node(), path_of(key)};
}

void ConfigSection::ignore(std::string_view key) { asked_.emplace(key); }

void ConfigSection::finish() const {
  for (const auto& item : node_) {
    const std::string& key = item.first.Scalar();
    if (!asked_.contains(key)) fail(key, "is not known");
  }
}

void ConfigSection::fail(std::string_view key, std::string_view what) const {
  throw FatalError(fmt::format("{}: {}", path_of(key), what));
}

std::string ConfigSection::path_of(std::string_view key) const {
  return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

}  // namespace diarize
