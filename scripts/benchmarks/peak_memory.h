#pragma once

namespace diarize::bench {

// Peak resident memory of this process in MB (2^20 bytes), without that of the
// one it was started from.
[[nodiscard]] double peak_megabytes();

}  // namespace diarize::bench
