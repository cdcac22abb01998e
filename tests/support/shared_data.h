#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace diarize::test {

// A file or folder of the shared test data: below $DIARIZE_SHARED, else below
// `../shared` beside the checkout. None, after a doctest message that says
// what was skipped, where it is absent; the case then returns.
[[nodiscard]] std::optional<std::filesystem::path> shared_data(
    std::string_view relative_path);

// A file or folder of the checkout, such as `tests/goldens/pyannote_sample`
// or `models/default`. None, after a message, where it is absent (what
// scripts/fetch_models brings may be).
[[nodiscard]] std::optional<std::filesystem::path> checkout_data(
    std::string_view relative_path);

}  // namespace diarize::test
