#include "cli/version.h"

#include <CLI/Version.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <tbb/version.h>

namespace diarize {

std::string program_version() { return DIARIZE_VERSION; }

// The versions that have no macro of their own come from the build.
std::string version_text() {
  return fmt::format(
      "diarize {}\nLibTorch {}, libsndfile {}, libsamplerate {}, libzip {}, "
      "TBB {}.{}, CLI11 {}, nlohmann-json {}.{}.{}, fmt {}.{}.{}\n",
      DIARIZE_VERSION, DIARIZE_LIBTORCH_VERSION, DIARIZE_SNDFILE_VERSION,
      DIARIZE_SAMPLERATE_VERSION, DIARIZE_LIBZIP_VERSION, TBB_VERSION_MAJOR,
      TBB_VERSION_MINOR, CLI11_VERSION, NLOHMANN_JSON_VERSION_MAJOR,
      NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH,
      FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100);
}

}  // namespace diarize
