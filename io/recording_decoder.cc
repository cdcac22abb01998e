#include "io/recording_decoder.h"

#include "core/error.h"
#include "io/ffmpeg.h"
#include "io/sndfile_source.h"

#include <fmt/format.h>

#include <utility>

namespace diarize {

namespace {

// The runs over one file.
class Runs {
 public:
  Runs(const DecodeOnce& decode_once, const std::filesystem::path& path,
       DecodeOptions options, const SampleSink& sink,
       const std::function<void()>& restart)
      : decode_once_(decode_once),
        path_(path),
        options_(std::move(options)),
        sink_(sink),
        restart_(restart) {}

  [[nodiscard]] DecodeReport decode() {
    DecodeReport report = first_run();
    if (report.may_hold_more) report = run_for_more(std::move(report));
    if (report.cancelled_channel) report = run_one_channel(std::move(report));
    return report;
  }

 private:
  [[nodiscard]] bool repeatable() const { return path_ != "-"; }

  [[nodiscard]] bool may_use_ffmpeg() const {
    return repeatable() && !options_.through_ffmpeg && find_ffmpeg();
  }

  [[nodiscard]] DecodeReport run() {
    return decode_once_(path_, options_, sink_);
  }

  [[nodiscard]] DecodeReport run_again() {
    restart_();
    return run();
  }

  DecodeReport first_run();
  DecodeReport run_for_more(DecodeReport before);
  DecodeReport run_one_channel(DecodeReport before);

  const DecodeOnce& decode_once_;
  const std::filesystem::path& path_;
  DecodeOptions options_;
  const SampleSink& sink_;
  const std::function<void()>& restart_;
};

DecodeReport Runs::first_run() {
  std::string refusal;
  try {
    return run();
  } catch (const UnreadableError& error) {
    if (!may_use_ffmpeg()) throw;
    refusal = error.what();
  }
  options_.through_ffmpeg = true;
  try {
    return run_again();
  } catch (const InputError&) {
    throw InputError(refusal);
  }
}

DecodeReport Runs::run_for_more(DecodeReport before) {
  if (!may_use_ffmpeg()) {
    before.warnings.emplace_back("ffmpeg might read on: it is not in PATH");
    return before;
  }
  options_.through_ffmpeg = true;
  try {
    DecodeReport after = run_again();
    if (after.seconds_read > before.seconds_read) {
      after.warnings.push_back(fmt::format(
          "was read through ffmpeg to {:.2f} s, since libsndfile ends at "
          "{:.2f} s",
          after.seconds_read, before.seconds_read));
      // The file's own header counts, not the container's rounded word.
      std::erase_if(after.warnings, [](const std::string& warning) {
        return warning.starts_with("ends at ");
      });
      after.seconds_promised = before.seconds_promised;
      if (auto warning =
              shortfall(after.seconds_read, after.seconds_promised)) {
        after.warnings.push_back(std::move(*warning));
      }
      return after;
    }
  } catch (const InputError& error) {
    before.warnings.push_back(
        fmt::format("ffmpeg reads no more of it: {}", error.what()));
  }
  options_.through_ffmpeg = false;
  DecodeReport again = run_again();
  again.warnings = std::move(before.warnings);
  return again;
}

DecodeReport Runs::run_one_channel(DecodeReport before) {
  const int channel = *before.cancelled_channel;
  const std::string finding = fmt::format(
      "its two channels cancel each other out in their mean, which is over 20 "
      "dB below channel {}",
      channel);
  if (!repeatable()) {
    before.warnings.push_back(
        fmt::format("{}: --channel {} would take that one", finding, channel));
    return before;
  }
  options_.channel = channel;
  DecodeReport after = run_again();
  after.cancelled_channel = channel;
  after.warnings = std::move(before.warnings);
  after.warnings.push_back(finding + ": that channel was used instead");
  return after;
}

}  // namespace

DecodeReport decode_recording(const DecodeOnce& decode_once,
                              const std::filesystem::path& path,
                              const DecodeOptions& options,
                              const SampleSink& sink,
                              const std::function<void()>& restart) {
  return Runs(decode_once, path, options, sink, restart).decode();
}

}  // namespace diarize
