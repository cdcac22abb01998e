#pragma once

#include "core/types.h"

#include <cstddef>
#include <vector>

namespace diarize {

// The frames of a chunk that the embedding of one local speaker is pooled
// over (pyannote.audio 4.0, SpeakerDiarization.get_embeddings).
//
// With `exclude_overlap` these are the frames in which the speaker is alone,
// unless there are fewer than three of them: 400 samples, the least that the
// features need, are two frames of 589, and the reference asks for more than
// those. Otherwise, and then, all frames in which the speaker is active.
[[nodiscard]] FrameSet embedding_mask(const LocalActivity& activity,
                                      std::size_t chunk, int speaker,
                                      bool exclude_overlap);

// One job for every local speaker of a block that is active at all, by chunk,
// then local speaker. `activity` is that of the block's chunks alone.
//
// The reference also embeds silent local speakers. What it gets for them is
// the bias of the last layer, and no later stage looks at it: they train no
// cluster, and are assigned to none. So they get no job, and a chunk without
// speech gives none.
[[nodiscard]] std::vector<EmbeddingJob> masked_jobs(
    const Block& block, const LocalActivity& activity, bool exclude_overlap);

}  // namespace diarize
