#pragma once

#include "io/npz.h"

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace diarize::test {

// An array of a .npz file as a float32 tensor of its own.
[[nodiscard]] at::Tensor golden_tensor(const NpzFile& file,
                                       std::string_view name);

// One file of the stage outputs of a recording, from the shared data or, for
// pyannote_sample, from the checkout; none, after a message, without both.
[[nodiscard]] std::optional<NpzFile> golden_file(const std::string& recording,
                                                 const std::string& stage);

// Samples of a recording of the shared data, 16 kHz mono; none, after a
// message, where it is absent.
[[nodiscard]] std::optional<std::vector<float>> recording_samples(
    const std::string& file);

// Largest absolute difference of two tensors of one shape.
[[nodiscard]] double largest_difference(const at::Tensor& a,
                                        const at::Tensor& b);

// The same, relative to the largest magnitude in `expected`.
[[nodiscard]] double relative_difference(const at::Tensor& found,
                                         const at::Tensor& expected);

}  // namespace diarize::test
