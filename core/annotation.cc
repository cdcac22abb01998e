#include "core/annotation.h"

namespace diarize {

std::string speaker_label(std::int32_t speaker, std::string_view prefix) {
  const std::string digits = std::to_string(speaker);
  const std::string padding(digits.size() < 2 ? 2 - digits.size() : 0, '0');
  return std::string(prefix) + padding + digits;
}

}  // namespace diarize
