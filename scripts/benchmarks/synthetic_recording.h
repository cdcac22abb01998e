#pragma once

#include "core/types.h"

#include <cstddef>

namespace diarize::bench {

struct RecordingOptions {
  double minutes = 10.0;
  std::size_t num_voices = 8;
  double step = 2.5;            // s between chunks
  double mean_turn = 4.0;       // s
  double garbage_share = 0.03;  // of pieces that are no voice
  unsigned seed = 1;
};

// A recording as the networks would hand it over: voices in turn with pauses
// and some overlap, and embeddings of pieces that scatter as CAM++'s do (cosine
// 0.56 within a voice at 1.5 s, 0.4 at 0.8 s, about 0.2 between voices on one
// channel), with voices that drift from one ten minutes to the next.
[[nodiscard]] Recording make_recording(const RecordingOptions& options);

}  // namespace diarize::bench
