#pragma once

#include "core/types.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace diarize::test {

// Golden inputs of the stages after the networks, of one recording.
struct DefaultGolden {
  std::string folder;              // of the .npz files, absolute
  Block block;                     // all chunks of the recording, no samples
  Recording recording;             // activity and embeddings
  std::vector<EmbeddingJob> jobs;  // the pieces with their rows
  std::vector<std::vector<int>> frames;  // (num_pieces) frames of the chunk
};

// Turns as the reference wrote them.
struct GoldenTurns {
  std::vector<double> onsets;
  std::vector<double> ends;
  std::vector<std::int32_t> labels;
};

// A recording with stages (`pyannote_sample`, `ami_EN2002a`, `falcon_test`) or
// a meeting with clustering alone (`meeting_m2b`, `meeting_m8`). Those in
// tests/goldens are always there; none, after a message, where the shared data
// is absent.
[[nodiscard]] std::optional<DefaultGolden> load_golden(std::string_view name);

// turn_times and turn_labels of one of the folder's files.
[[nodiscard]] GoldenTurns load_turns(const std::string& path);

}  // namespace diarize::test
