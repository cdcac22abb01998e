#include "io/uem.h"
#include "tests/fuzz/fuzz_target.h"

// UEM text.
void diarize::test::fuzz(std::span<const std::byte> input) {
  const std::string_view text(reinterpret_cast<const char*>(input.data()),
                              input.size());
  static_cast<void>(parse_uem(text));
}
