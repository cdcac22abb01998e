#pragma once

#include "core/types.h"

namespace diarize {

// How many speak in each output frame, and how many chunks cover it.
//
// Frames covered by several chunks take the mean over those chunks, rounded
// half to even as numpy's rint: a frame in which half of the chunks hear one
// speaker and half hear none is silent (pyannote.audio 4.0,
// SpeakerDiarizationMixin.speaker_count). Frames that no chunk covers, the
// last few of the grid, count 0.
// Cost: linear in the number of chunks.
[[nodiscard]] SpeakerCount count_speakers(const LocalActivity& activity);

}  // namespace diarize
