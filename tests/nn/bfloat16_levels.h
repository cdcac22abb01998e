#pragma once

#include "core/cpu_level.h"

#include <vector>

namespace diarize::test {

// The levels with bfloat16 that this processor has. Says that a test is skipped
// where there are none.
[[nodiscard]] std::vector<CpuLevel> bfloat16_levels();

}  // namespace diarize::test
