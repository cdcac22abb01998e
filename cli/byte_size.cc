#include "cli/byte_size.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

namespace diarize {
namespace {

constexpr std::string_view kPrefixes = "KMGT";
constexpr double kMostBytes = 1e18;

std::string upper_case(std::string_view text) {
  std::string result(text);
  for (char& letter : result) {
    letter =
        static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  }
  return result;
}

// What a unit is worth; none if there is no such unit.
std::optional<double> unit_bytes(std::string_view unit) {
  if (unit.empty() || unit == "B") return 1.0;
  const std::size_t power = kPrefixes.find(unit.front());
  if (power == std::string_view::npos) return std::nullopt;
  const std::string_view rest = unit.substr(1);
  if (!rest.empty() && rest != "B" && rest != "IB") return std::nullopt;
  return std::pow(rest == "B" ? 1000.0 : 1024.0,
                  static_cast<double>(power + 1));
}

}  // namespace

std::optional<std::size_t> parse_bytes(std::string_view text) {
  double number = 0.0;
  const auto [rest, error] = std::from_chars(
      text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  const auto unit = unit_bytes(upper_case(text));
  if (!unit) return std::nullopt;
  const double bytes = std::floor(number * *unit);
  if (!(bytes >= 1.0 && bytes <= kMostBytes)) return std::nullopt;
  return static_cast<std::size_t>(bytes);
}

std::string bytes_text(std::size_t bytes) {
  std::size_t power = 0;
  double unit = 1.0;
  while (power < kPrefixes.size() &&
         static_cast<double>(bytes) >= 1024 * unit) {
    unit *= 1024;
    ++power;
  }
  if (power == 0) return fmt::format("{}", bytes);
  return fmt::format("{:.1f}{}",
                     std::ceil(10.0 * static_cast<double>(bytes) / unit) / 10,
                     kPrefixes[power - 1]);
}

}  // namespace diarize
