#include "io/one_line.h"

#include <algorithm>

namespace diarize {
namespace {

constexpr std::size_t kMaxBytes = 400;

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7F;
}

}  // namespace

std::string one_line(std::string_view text) {
  std::string result(text.substr(0, kMaxBytes));
  std::ranges::replace_if(result, is_control, '?');
  if (text.size() > kMaxBytes) result += "...";
  return result;
}

}  // namespace diarize
