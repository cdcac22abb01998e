#include "tests/core/default_golden.h"

#include "io/npz.h"
#include "tests/support/shared_data.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>

namespace diarize::test {
namespace {

std::optional<std::filesystem::path> golden_folder(std::string_view name) {
  const bool in_checkout = name == "pyannote_sample" || name == "meeting_m2b";
  return in_checkout ? checkout_data("tests/goldens/" + std::string(name))
                     : shared_data("goldens/default/" + std::string(name));
}

LocalActivity read_activity(const NpzFile& file) {
  LocalActivity activity;
  activity.chunk_starts = file.values<std::int64_t>("starts");
  activity.active.resize(activity.chunk_starts.size());
  const auto active = file.array<std::uint8_t, 3>("active");
  for (std::size_t chunk = 0; chunk < activity.num_chunks(); ++chunk) {
    for (std::size_t frame = 0; frame < kNumFrames; ++frame) {
      for (std::size_t speaker = 0; speaker < kNumLocalSpeakers; ++speaker) {
        activity.active[chunk][speaker][frame] =
            active(chunk, frame, speaker) != 0;
      }
    }
  }
  return activity;
}

void read_pieces(const NpzFile& file, DefaultGolden& golden) {
  const auto chunks = file.values<std::int64_t>("chunk");
  const auto speakers = file.values<std::int64_t>("speaker");
  const auto rows = file.values<std::int32_t>("rows");
  const auto row_offsets = file.values<std::int64_t>("row_offsets");
  const auto frames = file.values<std::int32_t>("frames");
  const auto frame_offsets = file.values<std::int64_t>("frame_offsets");
  for (std::size_t piece = 0; piece < chunks.size(); ++piece) {
    EmbeddingJob job;
    job.rows.assign(rows.begin() + row_offsets[piece],
                    rows.begin() + row_offsets[piece + 1]);
    constexpr double kCell = 1.5;
    const double time = 0.01 * rows[row_offsets[piece]] + 0.0125;
    job.source = {static_cast<std::int32_t>(chunks[piece]),
                  static_cast<std::int32_t>(speakers[piece]),
                  static_cast<std::int32_t>(std::floor(time / kCell)),
                  static_cast<std::int32_t>(job.rows.size())};
    golden.jobs.push_back(job);
    golden.recording.embeddings.sources.push_back(job.source);
    golden.frames.emplace_back(frames.begin() + frame_offsets[piece],
                               frames.begin() + frame_offsets[piece + 1]);
  }
  golden.recording.embeddings.values = file.array<float, 2>("embeddings");
}

std::int64_t read_num_samples(const std::filesystem::path& meta) {
  std::ifstream file(meta);
  return nlohmann::json::parse(file).at("samples").get<std::int64_t>();
}

}  // namespace

std::optional<DefaultGolden> load_golden(std::string_view name) {
  const auto folder = golden_folder(name);
  if (!folder) return std::nullopt;
  DefaultGolden golden;
  golden.folder = folder->string();
  const bool is_meeting = name.substr(0, 7) == "meeting";
  const NpzFile chunks(*folder /
                       (is_meeting ? "input.npz" : "segmentation.npz"));
  golden.recording.activity = read_activity(chunks);
  golden.recording.num_samples = is_meeting
                                     ? chunks.scalar<std::int64_t>("samples")
                                     : read_num_samples(*folder / "meta.json");
  read_pieces(NpzFile(*folder / (is_meeting ? "input.npz" : "pieces.npz")),
              golden);
  golden.block.chunk_starts = golden.recording.activity.chunk_starts;
  golden.block.recording_end = golden.recording.num_samples;
  return golden;
}

GoldenTurns load_turns(const std::string& path) {
  const NpzFile file(path);
  const auto times = file.array<double, 2>("turn_times");
  GoldenTurns turns;
  for (std::size_t turn = 0; turn < times.size(0); ++turn) {
    turns.onsets.push_back(times(turn, 0));
    turns.ends.push_back(times(turn, 1));
  }
  for (const auto label : file.values<std::int64_t>("turn_labels")) {
    turns.labels.push_back(static_cast<std::int32_t>(label));
  }
  return turns;
}

}  // namespace diarize::test
