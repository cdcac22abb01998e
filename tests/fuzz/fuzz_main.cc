#include "core/error.h"
#include "tests/fuzz/fuzz_target.h"

#include <cstdint>

// The name is libFuzzer's.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  try {
    diarize::test::fuzz(std::as_bytes(std::span(data, size)));
  } catch (const diarize::Error&) {
    // Refused, as it has to be.
  }
  return 0;
}
