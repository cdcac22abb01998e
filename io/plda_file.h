#pragma once

#include "core/clustering/plda_model.h"

#include <filesystem>

namespace diarize {

// Reads the two files of a PLDA folder as pyannote.audio 4.0 publishes them:
// `xvec_transform.npz` with mean1 (256) float64, mean2 (128) float32 and lda
// (256, 128) float32, and `plda.npz` with mu (128), tr (128, 128) and psi
// (128) float64. What is float32 in the file is widened, which changes nothing.
//
// Throws FatalError that begins with the path if a file or an array is missing,
// has another shape or type, holds a value that is not finite, or if psi is not
// positive.
[[nodiscard]] PldaModel read_plda(const std::filesystem::path& folder);

}  // namespace diarize
