#include "io/audio_input.h"

#include "core/error.h"
#include "io/container.h"
#include "io/spool.h"
#include "io/stream_bytes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>

namespace diarize {

namespace {

constexpr std::size_t kHeadBytes = 256;
// What containers say of their length is the longest of their streams, with
// what coders add at both ends.
constexpr double kToleratedContainerSeconds = 0.5;

bool is_file_on_disk(int number) {
  struct stat status{};
  return ::fstat(number, &status) == 0 && S_ISREG(status.st_mode);
}

// The first bytes of a pipe, which stay in it; none of what is no pipe.
std::vector<std::byte> peek_pipe(int number) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  const FileDescriptor reader(ends[0]);
  const FileDescriptor writer(ends[1]);
  const ssize_t copied = ::tee(number, writer.number(), kHeadBytes, 0);
  std::vector<std::byte> head(copied > 0 ? static_cast<std::size_t>(copied)
                                         : 0);
  const ssize_t count = ::read(reader.number(), head.data(), head.size());
  head.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return head;
}

std::vector<std::byte> peek(int number, bool on_disk) {
  if (!on_disk) return peek_pipe(number);
  std::vector<std::byte> head(kHeadBytes);
  const ssize_t count = ::pread(number, head.data(), head.size(), 0);
  head.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return head;
}

}  // namespace

KeptInput::KeptInput(const std::filesystem::path& path,
                     const Waiting& waiting) {
  StreamBytes stream(open_audio_file(path), 0, waiting.without_timeout());
  file_ = spool(stream, make_nameless_file());
}

std::filesystem::path KeptInput::path() const {
  return std::filesystem::path("/proc/self/fd") /
         std::to_string(file_.number());
}

AudioInput::AudioInput(const std::filesystem::path& path, bool through_ffmpeg,
                       const Waiting& waiting)
    : file_(open_audio_file(path)), on_disk_(is_file_on_disk(file_.number())) {
  const Waiting patient = waiting.without_timeout();
  if (!on_disk_ && !patient.is_endless()) {
    wait_for_bytes(file_.number(), patient, "the pipe");
  }
  const Container container =
      identify_container(peek(file_.number(), on_disk_));
  container_ = container.name;
  if (!through_ffmpeg && container.reader != ContainerReader::kFfmpeg) return;
  if (container.reader == ContainerReader::kNobody) {
    throw InputError(fmt::format("is {}, expected audio", container_));
  }
  const auto program = find_ffmpeg();
  if (!program) {
    throw InputError(fmt::format(
        "is {}, which takes ffmpeg to read: install it (ffmpeg is not in PATH)",
        container_));
  }
  if (!on_disk_) {
    StreamBytes stream(std::move(file_), 0, patient);
    file_ = spool(stream, make_nameless_file());
    on_disk_ = true;
  }
  ffmpeg_.emplace(*program, file_);
  file_ = ffmpeg_->take_output();
}

DecodeReport AudioInput::run(
    const std::function<DecodeReport(const SampleSink&)>& decode_from,
    const DecodeOptions& options, const SampleSink& sink) {
  if (!ffmpeg_) return decode_from(sink);
  bool delivered = false;
  try {
    DecodeReport report = decode_from([&](std::span<const float> samples) {
      delivered = true;
      sink(samples);
    });
    report.format.encoding = fmt::format("{} through ffmpeg", container_);
    // One that is not listened to any more complains of just that.
    return options.duration ? report : with_complaints(std::move(report));
  } catch (const InputError&) {
    if (!delivered) explain_failure();
    throw;
  }
}

DecodeReport AudioInput::with_complaints(DecodeReport report) {
  const auto [complaint, promised] = ffmpeg_->end();
  if (!complaint.empty()) {
    report.warnings.push_back(
        fmt::format("ffmpeg complains of the file: {}", complaint));
  }
  report.seconds_promised = promised;
  const double tolerated = kToleratedContainerSeconds - kToleratedSeconds;
  if (auto warning = shortfall(report.seconds_read + tolerated, promised)) {
    report.warnings.push_back(
        *shortfall(report.seconds_read, report.seconds_promised));
  }
  return report;
}

void AudioInput::explain_failure() {
  const std::string complaint = ffmpeg_->end().complaint;
  if (!complaint.empty()) {
    throw InputError(fmt::format("is {} that ffmpeg cannot read: {}",
                                 container_, complaint));
  }
}

}  // namespace diarize
