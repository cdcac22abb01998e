#include "cli/manifest.h"

#include "cli/outputs.h"
#include "cli/version.h"
#include "core/error.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <system_error>

namespace diarize {
namespace {

using Json = nlohmann::ordered_json;

const char* status_of(const FileOutcome& outcome) {
  if (outcome.failure) return "failed";
  if (outcome.skipped) return "skipped";
  return outcome.interrupted ? "interrupted" : "done";
}

// Three decimals; null where there is no such number.
Json rounded(double value) {
  if (!std::isfinite(value)) return nullptr;
  return std::round(value * 1000.0) / 1000.0;
}

Json outputs_json(const Job& job, const FileOutcome& outcome,
                  const OutputOptions& options) {
  Json result = Json::array();
  if (outcome.failure || outcome.interrupted) return result;
  for (const auto& path : output_paths(job, options)) {
    result.push_back(path.string());
  }
  return result;
}

// What is not waiting.
Json stages_json(const FileOutcome& outcome) {
  Json result = Json::object();
  for (std::size_t i = 0; i <= static_cast<std::size_t>(Stage::kWrite); ++i) {
    result[std::string(stage_name(static_cast<Stage>(i)))] =
        std::round(outcome.stage_seconds[i] * 1e6) / 1e6;
  }
  return result;
}

}  // namespace

std::string manifest_line(const Job& job, const FileOutcome& outcome,
                          const OutputOptions& options,
                          const std::string& model,
                          std::string_view precision) {
  const Json object = {
      {"input", job.input},
      {"status", status_of(outcome)},
      {"reason", outcome.failure ? Json(*outcome.failure) : Json(nullptr)},
      {"outputs", outputs_json(job, outcome, options)},
      {"seconds", rounded(outcome.seconds)},
      {"wall_seconds", rounded(outcome.wall_seconds)},
      {"stage_seconds", stages_json(outcome)},
      {"speakers", outcome.num_speakers},
      {"rms_dbfs", rounded(outcome.rms_dbfs)},
      {"peak_dbfs", rounded(outcome.peak_dbfs)},
      {"peak_seconds", rounded(outcome.peak_seconds)},
      {"warnings", outcome.warnings},
      {"model", model},
      {"precision", precision},
      {"version", program_version()}};
  return object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Manifest::Manifest(const std::filesystem::path& path) {
  if (path.empty()) return;
  file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file_ < 0) {
    throw FatalError(
        fmt::format("--manifest: {} cannot be written: {}", path.string(),
                    std::error_code(errno, std::generic_category()).message()));
  }
}

Manifest::~Manifest() {
  if (file_ >= 0) ::close(file_);
}

bool Manifest::add(const std::string& line) {
  return file_ < 0 || ::write(file_, line.data(), line.size()) ==
                          static_cast<ssize_t>(line.size());
}

}  // namespace diarize
