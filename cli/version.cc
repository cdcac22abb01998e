#include "cli/version.h"

#include "io/decoder_pool.h"
#include "io/sandbox.h"

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

std::string sandbox_text() {
  return fmt::format(
      "decoder processes: {}, {} GiB of memory each; no new privileges, no "
      "network, no file but the one they are handed, no other process\n",
      sandbox_name(),
      DecoderPoolOptions().memory_limit_bytes / (std::int64_t{1} << 30));
}

}  // namespace diarize
