#pragma once

#include "cli/main_job.h"
#include "cli/pipeline.h"
#include "core/engine/engine.h"
#include "io/decoder.h"
#include "io/recording_decoder.h"

#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <vector>

namespace diarize {

class DecoderPool;

// Decodes files, in processes of their own or in this one, and runs them
// through one engine. Threads may share it: each call feeds the engine from
// its own thread and then waits.
class EngineDiarizer : public FileDiarizer {
 public:
  // Starts an engine with a consumer for each thread of the options.
  EngineDiarizer(const Pipeline& pipeline, std::string model,
                 const Options& options);
  ~EngineDiarizer() override;

  [[nodiscard]] std::string model() const override { return model_; }

  [[nodiscard]] StageTimes* stage_times() const override {
    return stage_times_.get();
  }

  [[nodiscard]] DiarizedFile diarize(const Job& job,
                                     const BatchState& batch) override;

 private:
  // A recording whose samples are all in the engine.
  struct Read {
    DecodeReport report;
    std::future<Diarization> turns;
  };

  // What is known of a file while it is being read.
  struct FileState {
    const Job& job;
    const BatchState& batch;
    SessionOptions session;  // of each of its recordings
    int num_channels = 1;    // that are read one after the other
  };

  // Reads a file as `decoding` says: one recording.
  [[nodiscard]] Read read(const std::filesystem::path& path,
                          const DecodeOptions& decoding, const FileState& file);

  // Reads a file once for each of its channels, so that memory does not grow
  // with their number; standard input is kept in a temporary file for that.
  [[nodiscard]] std::vector<Read> read_channels(FileState& file);

  // One run over a file, in a decoder process or in this one, whose times are
  // added to all and to `file_times`.
  [[nodiscard]] DecodeOnce decode_once(StageTimes* file_times) const;

  std::string model_;
  std::shared_ptr<StageTimes> stage_times_;  // null: not measured
  Engine engine_;
  DecodeOptions decoding_;
  bool each_channel_;
  SpeakerRequest request_;
  bool measures_files_;                    // what each stage took for each file
  std::unique_ptr<DecoderPool> decoders_;  // null: in this process
};

// Finds the model that the options name and reads what its folder says of it.
// Throws FatalError for what is missing or makes no sense with the options.
void check_engine_diarizer(const Options& options);

// Finds and loads the model that the options name. Throws FatalError.
[[nodiscard]] std::unique_ptr<FileDiarizer> load_engine_diarizer(
    const Options& options, Console& console);

}  // namespace diarize
