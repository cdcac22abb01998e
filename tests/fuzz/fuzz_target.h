#pragma once

#include <cstddef>
#include <span>

namespace diarize::test {

// What a fuzzing program does with one input, which is any bytes at all; each
// of them defines its own. Error, with which readers refuse what they do not
// understand, may leave it; all else that does is a crash.
void fuzz(std::span<const std::byte> input);

}  // namespace diarize::test
