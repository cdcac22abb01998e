#pragma once

namespace diarize {

// What a trunk of masked pooling (ResNet34) runs over: each chunk by itself,
// as pyannote.audio does, or once over all chunks of a block.
enum class TrunkRun { kChunk, kBlock };

}  // namespace diarize
